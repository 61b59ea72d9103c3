"""Which tests show each row about toggles, as `module:function[id]`; a row that comes with a later part says which."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

UNIT = "tests.unit.preprocessor"
TABLE = f"{UNIT}.test_truth_table"
CASES = f"{UNIT}.test_expansion_cases"
HTTP = "tests.e2e.test_toggles"
CONVERSATIONS = "tests.e2e.test_conversations"


def _rows(*numbers: str) -> dict[str, tuple[str, ...]]:
    return {number: (f"{TABLE}:test_truth_table[{number}]",) for number in numbers}


def _case(number: int, *tests: str) -> tuple[str, ...]:
    return tuple(f"{CASES}:{test}" for test in tests) or (f"{CASES}:test_expansion[{number}]",)


TRUTH_TABLE: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        **_rows("1", "2", "3", "4", "5"),
        "6": (f"{TABLE}:test_truth_table[6]", f"{TABLE}:test_truth_table[6 {{}}]"),
        **_rows("7", "8"),
        "9": tuple(f"{TABLE}:test_truth_table[{row}]" for row in ("9", "9 disabled", "9 none")),
        **_rows("10", "11"),
        "12": (f"{TABLE}:test_an_unknown_toolset_is_refused[12]",),
        "13": (f"{TABLE}:test_an_unknown_toolset_is_refused[13]", f"{HTTP}:test_what_is_wrong_is_named[13 preset]"),
        **_rows("14", "14b", "14c", "14d", "15", "16", "17", "18"),
        "19": (f"{TABLE}:test_truth_table[19]", f"{TABLE}:test_what_each_pattern_matched_is_listed"),
        **_rows("20", "21"),
        "22": (f"{TABLE}:test_truth_table[22]", f"{TABLE}:test_a_deny_that_beats_the_overlay_is_a_warning"),
        **_rows("23"),
        "24": (f"{TABLE}:test_truth_table[24]", f"{TABLE}:test_picks_are_resident[24]"),
        **_rows("25", "26"),
        "27": tuple(f"{TABLE}:test_{test}" for test in ("truth_table[27]", "truth_table[27 nope]", "unknown_picks_are_reported")),
        **_rows("28", "29"),
        "30": (f"{TABLE}:test_truth_table[30]", f"{TABLE}:test_picks_are_resident[30]"),
        **_rows("31", "32"),
        "33": (
            f"{TABLE}:test_truth_table[33]",
            f"{TABLE}:test_what_a_list_of_nearly_all_leaves_out_is_reported",
            f"{HTTP}:test_a_list_of_nearly_all_says_what_it_lacks",
        ),
    }
)
"""Section 1."""

INVARIANTS: Mapping[str, str] = MappingProxyType(
    {
        numeral: f"{UNIT}.test_expansion_invariants:{test}"
        for numeral, test in {
            "i": "test_monotone_deny",
            "ii": "test_ceiling",
            "iii": "test_off_is_off",
            "iv": "test_the_order_is_the_bases",
            "v": "test_the_order_is_the_bases",
            "vi": "test_liveness",
            "vii": "test_what_is_not_sent_can_be_called_all_the_same",
            "viii": "test_unknown_keys_are_rejected",
        }.items()
    }
)
"""The properties after section 1."""

NUMBERED: Mapping[int, tuple[str, ...]] = MappingProxyType(
    {
        1: _case(1, "test_a_switch_is_kept"),
        2: _case(2, "test_keys_that_were_never_written_are_null"),
        3: (
            f"{CASES}:test_a_switch_takes_booleans_only",
            f"{HTTP}:test_what_is_wrong_is_named[3 ON]",
            f"{HTTP}:test_what_is_wrong_is_named[3 no]",
            f"{HTTP}:test_what_is_wrong_is_named[3 maybe]",
            f"{HTTP}:test_the_command_line_takes_words_for_switches",
        ),
        4: _case(4, "test_blanks_around_a_toolset_do_not_count"),
        5: _case(5, "test_what_is_kept_is_small_and_holds_no_skill_that_was_not_written"),
        6: _case(6, "test_what_is_kept_is_small_and_holds_no_skill_that_was_not_written"),
        7: _case(7, "test_a_list_keeps_its_order"),
        8: _case(8, "test_an_empty_list_stays_empty"),
        9: (*_case(9, "test_null_takes_a_switch_back"), f"{CONVERSATIONS}:test_an_intent_is_changed_key_by_key"),
        10: (*_case(10, "test_a_missing_key_leaves_a_switch"), f"{CONVERSATIONS}:test_an_intent_is_changed_key_by_key"),
        11: (*_case(11, "test_null_takes_a_toolset_back"), f"{CONVERSATIONS}:test_an_intent_is_changed_key_by_key"),
        12: (f"{CONVERSATIONS}:test_a_conversation_that_does_not_exist_is_not_made",),
        13: (
            *_case(13, "test_what_is_wrong_is_refused_before_anything_is_merged[13]"),
            f"{HTTP}:test_what_is_wrong_is_named[13]",
            f"{HTTP}:test_the_command_line_names_an_unknown_toolset",
            f"{CONVERSATIONS}:test_a_wrong_intent_changes_nothing",
        ),
        14: (
            *_case(14, "test_what_is_wrong_is_refused_before_anything_is_merged[14]"),
            f"{HTTP}:test_what_is_wrong_is_named[14]",
            f"{CONVERSATIONS}:test_a_wrong_intent_changes_nothing",
        ),
        15: _case(15, "test_nothing_is_kept_that_was_not_written"),
        16: _case(16),
        17: _case(17, "test_off_is_off"),
        18: _case(18, "test_the_same_bytes_in_every_process"),
        19: _case(19, "test_a_new_standard_skill_is_there_at_once"),
        20: _case(20, "test_a_skill_that_is_gone_is_no_error"),
        21: _case(21),
        22: _case(22, "test_expansion[22]", "test_expansion[22 other]"),
        23: _case(23, "test_a_toolset_is_followed_when_it_is_defined_anew"),
        24: _case(24),
        25: _case(25),
        26: _case(26),
        27: _case(27),
        28: _case(28, "test_expansion[28]", "test_picks_that_are_no_skills_are_reported"),
        29: _case(29),
        30: _case(30),
        31: _case(31),
        32: _case(32, "test_expansion[32]", "test_a_denied_overlay_is_a_warning"),
        33: _case(33, "test_an_overlay_is_resident_and_elsewhere_not_there"),
        34: _case(34, "test_a_source_that_may_not_use_a_skill"),
        35: _case(35, "test_a_skill_whose_check_raises_costs_itself_only"),
        36: _case(36, "test_a_profile_chooses_where_nobody_else_does"),
        37: _case(37, "test_the_loader_cannot_be_disabled"),
        67: _case(67, "test_a_profile_that_narrows_filters_what_was_picked"),
    }
)
"""Section 2."""

LATER: Mapping[int, str] = MappingProxyType(
    {
        **dict.fromkeys((38, 39, 40, *range(42, 63)), "deferral and the loader"),
        **dict.fromkeys((63, 64, 65, 66, 68, 69, 70, 71), "what a conversation has loaded"),
        **dict.fromkeys(range(72, 80), "calls of what was not loaded"),
        **dict.fromkeys(range(80, 92), "checkpoints"),
        **dict.fromkeys(range(92, 103), "prices"),
    }
)
"""Rows of section 2 that need what is not there yet."""
