"""Which tests show each hostile row, by group and in the rows' order: a row by its symptom, a test by module and name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

HTTP = "tests.e2e.test_hostile_rows"
LOOP = "tests.e2e.test_tool_loop"
SDK = "tests.unit.apps_sdk"
EXECUTOR = "tests.unit.executor"
MODELS = "tests.unit.service.models"
HISTORY = f"{MODELS}.history.test_repair"
PREPROCESSOR = "tests.unit.preprocessor"

C = {
    "More than 128 tools: provider 400": (
        f"{PREPROCESSOR}.test_exposure:test_never_more_than_128_tools",
        f"{HTTP}:test_more_skills_than_a_provider_takes_are_not_all_sent",
    ),
    "129 = own built-in pushed a full list over the limit": (
        f"{PREPROCESSOR}.test_exposure:test_never_more_than_128_tools",
        "tests.unit.service.test_settings:test_no_setting_sends_more_tools_than_a_provider_takes",
    ),
    "Provider's 400 surfaces as our 500": (f"{HTTP}:test_a_providers_400_is_not_our_500",),
    "The limit holds for tool_calls in ONE assistant message too (131, 200 calls): conversation can't continue": (
        f"{EXECUTOR}.test_calls:test_calls_over_the_limit_of_one_reply_are_each_refused",
        f"{HISTORY}:test_a_message_of_very_many_calls_is_divided",
        f"{LOOP}:test_a_reply_of_130_calls_leaves_a_history_that_providers_take",
    ),
    "`tools: []` refused by several backends": (f"{HTTP}:test_no_skill_at_all_sends_neither_tools_nor_a_choice",),
    "Backends disagree whether `tools: []` is legal; a left-over tool_choice makes it 400": (
        f"{MODELS}.test_llm:test_a_choice_without_tools_is_not_sent",
        f"{HTTP}:test_no_skill_at_all_sends_neither_tools_nor_a_choice",
    ),
    '"no tools picked" raises "must be a list"': (
        f"{SDK}.test_hostile_manifests:test_a_list_of_skills_that_is_empty_or_none_at_all",
    ),
}

D = {
    '`arguments: ""` for a skill without parameters: JSON error, then an endless retry': (
        f"{EXECUTOR}.test_calls:test_no_arguments_in_all_spellings_are_an_empty_object",
        f"{HTTP}:test_no_arguments_in_every_spelling",
    ),
    "null arguments, or an already parsed dict, break re-sending history": (
        f"{HISTORY}:test_arguments_are_one_json_object",
        f"{MODELS}.test_random_streams:test_arguments_that_come_parsed_are_written_as_json",
        f"{LOOP}:test_an_unfit_history_is_mended",
    ),
    "Whole arguments encoded twice": (
        f"{EXECUTOR}.test_calls:test_arguments_encoded_twice_are_unwrapped",
        f"{HTTP}:test_guessed_arguments_are_understood_without_loss",
    ),
    "One array/object value arrives as a JSON string; array becomes one entry": (
        f"{EXECUTOR}.test_coerce:test_what_loses_nothing_is_repaired_and_reported",
        f"{EXECUTOR}.test_calls:test_a_genuine_list_argument_stays_one_argument",
        f"{HTTP}:test_guessed_arguments_are_understood_without_loss",
    ),
    "Opposite stand: silent repair lets a check see other bytes than the tool; reject with a clear text": (
        f"{EXECUTOR}.test_coerce:test_a_valid_value_is_never_changed_and_coercing_twice_is_coercing_once",
        f"{EXECUTOR}.test_coerce:test_a_changed_value_is_always_reported",
        f"{EXECUTOR}.test_coerce:test_what_would_lose_or_guess_is_left_alone",
        f"{EXECUTOR}.test_coerce:test_nothing_is_lost",
        f"{EXECUTOR}.test_calls:test_whatever_is_written_is_one_call_and_only_valid_entries_may_run",
    ),
    "Model calls a not-loaded tool with guessed types: '10' for integer, 'true' for boolean": (
        f"{EXECUTOR}.test_coerce:test_what_loses_nothing_is_repaired_and_reported",
        f"{EXECUTOR}.test_coerce:test_text_in_a_text_field_stays_text",
        f"{HTTP}:test_guessed_arguments_are_understood_without_loss",
    ),
    'Cut at max_tokens, repaired to `{}`, run, reported as success or "missing argument"; loops (30+ rounds)': (
        f"{EXECUTOR}.test_calls:test_a_reply_that_was_cut_runs_nothing_even_where_the_json_is_whole",
        f"{HTTP}:test_arguments_that_were_cut_are_neither_run_nor_kept",
        f"{LOOP}:test_a_model_that_is_cut_off_again_and_again_has_to_answer",
    ),
    "Backend says tool_calls though it was cut; storing the bad JSON makes every later request 400": (
        f"{HISTORY}:test_arguments_are_one_json_object",
        f"{HTTP}:test_arguments_that_were_cut_are_neither_run_nor_kept",
    ),
    'Generic "field missing" after a cut burns 17 steps, 487k tokens, $2.46': (
        f"{EXECUTOR}.test_calls:test_arguments_cut_in_the_middle_never_run_and_the_error_names_the_cut",
        f"{HTTP}:test_arguments_that_were_cut_are_neither_run_nor_kept",
        f"{HTTP}:test_a_wrong_field_is_named_with_what_it_should_be",
    ),
}

E = {
    "Made-up tool name ends the whole run": (
        f"{EXECUTOR}.test_calls:test_an_unknown_name_is_an_error_beside_a_good_call_and_offers_close_names_of_the_scope",
        f"{HTTP}:test_a_made_up_name_is_answered_and_the_turn_goes_on",
    ),
    "Error without the list of real names: model repeats the same name": (
        f"{EXECUTOR}.test_calls:test_a_flood_of_unknown_names_is_bounded",
        f"{HTTP}:test_a_made_up_name_is_answered_and_the_turn_goes_on",
    ),
    "Cut name: `brary search`": (
        f"{EXECUTOR}.test_calls:test_a_name_that_was_cut_is_answered_with_the_whole_one",
        f"{HTTP}:test_a_made_up_name_is_answered_and_the_turn_goes_on",
    ),
}

F = {
    "A tool_use without a tool_result bricks the conversation for good": (
        f"{HISTORY}:test_an_open_call_is_answered_as_abandoned",
        f"{MODELS}.history.test_conversations:test_any_conversation_can_go_on",
        "tests.unit.service.turns.test_tool_loop:test_a_cancelled_turn_leaves_a_valid_history",
        f"{LOOP}:test_an_unfit_history_is_mended",
    ),
    "gather without return_exceptions: one failing tool leaves all siblings unanswered, next request 400": (
        f"{HTTP}:test_an_exception_without_a_message_costs_one_call",
    ),
    "One cancelled sibling loses the outputs that had succeeded": (
        f"{HTTP}:test_a_turn_that_runs_out_of_time_keeps_what_succeeded",
        "tests.unit.service.turns.test_tool_loop:test_a_turn_cancelled_between_its_rounds_keeps_the_results",
    ),
    "Failure in parallel mode answered with empty call id and empty text (exception without message)": (
        f"{HTTP}:test_an_exception_without_a_message_costs_one_call",
    ),
    'Provider gives the same id to several calls: "Duplicate value for tool_call_id"': (
        f"{MODELS}.test_replies:test_repaired_ids_are_unique_and_the_same_every_time",
        f"{HISTORY}:test_ids_that_come_twice_are_told_apart",
        f"{HTTP}:test_ids_that_no_provider_takes",
    ),
    "Id made from the tool name: two calls of one skill swap results; parallel calls without index lost": (
        f"{MODELS}.test_random_streams:test_calls_one_after_the_other_need_no_index",
        f"{HTTP}:test_one_skill_three_times_in_one_stream",
    ),
    "Stream pieces without id/index land on the wrong call; names or JSON glued together": (
        f"{MODELS}.test_random_streams:test_calls_with_labels_come_in_any_order",
        f"{MODELS}.test_random_streams:test_names_without_any_label_are_never_glued",
        f"{MODELS}.test_random_streams:test_two_calls_without_arguments_id_or_index_are_two",
        f"{HTTP}:test_one_skill_three_times_in_one_stream",
    ),
}

I = {  # noqa: E741 - the group's letter
    "`NO`/`no` key or value becomes false": (
        f"{SDK}.manifest.test_yaml_source:test_country_codes_stay_text_and_are_hinted_with_their_place",
        f"{SDK}.test_hostile_manifests:test_labels_stay_what_was_written_up_to_the_schema_that_is_sent",
    ),
    'YAML 1.1 and 1.2 loaders disagree; strings "no" where false was meant': (
        f"{SDK}.test_hostile_manifests:test_another_loader_would_read_it_otherwise",
        f"{SDK}.test_hostile_manifests:test_labels_stay_what_was_written_up_to_the_schema_that_is_sent",
        f"{SDK}.manifest.test_yaml_source:test_a_separator_is_a_character_like_any_other",
    ),
    "Duplicate keys: last wins, no warning (safe_load too)": (
        f"{SDK}.manifest.test_yaml_source:test_duplicate_key_names_both_lines_and_damages_its_item_only",
        f"{SDK}.test_hostile_manifests:test_a_key_twice_costs_its_skill_and_names_both_lines",
    ),
    "Leading zero = octal, `12:30` = base-60 number in YAML 1.1": (
        f"{SDK}.manifest.test_scalars:test_traps_stay_text_and_are_noticed",
        f"{SDK}.test_hostile_manifests:test_labels_stay_what_was_written_up_to_the_schema_that_is_sent",
    ),
    "Yes/ON as labels become booleans": (
        f"{SDK}.manifest.test_scalars:test_traps_stay_text_and_are_noticed",
        f"{SDK}.test_hostile_manifests:test_labels_stay_what_was_written_up_to_the_schema_that_is_sent",
    ),
}

_SHAPES = f"{SDK}.results.test_toon:test_the_shapes_that_broke_other_encoders_come_back"
_ANY_JSON = f"{SDK}.results.test_toon:test_what_is_encoded_decodes_to_the_same"
_IN_A_TURN = f"{HTTP}:test_odd_rows_are_told_without_loss"

J = {
    'Empty object in a table cell loses its key (`[{"a":{}}]` comes back `[{}]`)': (_SHAPES, _ANY_JSON, _IN_A_TURN),
    'Key "" with object/array value: header line dropped, children move up and may overwrite siblings': (
        _SHAPES,
        _ANY_JSON,
        _IN_A_TURN,
    ),
    "Strings `.622`, `+861` left bare, read as numbers": (_SHAPES, _ANY_JSON, _IN_A_TURN),
    'Strings "true", "null", "42", "1e5", "100.0" emitted bare: type lost': (_SHAPES, _ANY_JSON, _IN_A_TURN),
    "`[{}]` gives header `[1]{}:`": (_SHAPES, _ANY_JSON, _IN_A_TURN),
    "58 of 399 spec tests fail: control characters as \\uXXXX, empty arrays, duplicate keys, header checks": (
        f"{SDK}.results.test_toon_fixtures:test_encoding",
        f"{SDK}.results.test_toon_fixtures:test_strict_decoding",
        f"{SDK}.results.test_toon_fixtures:test_what_is_encoded_comes_back",
    ),
}

ROWS: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType({"C": C, "D": D, "E": E, "F": F, "I": I, "J": J})
