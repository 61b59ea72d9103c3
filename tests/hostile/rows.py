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
IMPORTED = f"{SDK}.test_imported_names"
AUTHORED = f"{SDK}.test_hostile_manifests"

_AN_ERROR = f"{AUTHORED}:test_an_id_that_no_provider_takes_is_an_error_where_it_stands"
_MAPPED = f"{IMPORTED}:test_what_is_legal_is_kept_and_the_rest_is_spelled_with_a_hash"
_AND_BACK = f"{IMPORTED}:test_every_name_is_found_again_or_reported"

A = {
    "A name with spaces gives 400 on every request that carries the list": (_AN_ERROR, _MAPPED, _AND_BACK),
    "One dot inside one of 215 names stops the client at start": (
        f"{AUTHORED}:test_one_dot_among_two_hundred_good_names_costs_one_skill",
        _MAPPED,
    ),
    "Dotted names are legal in MCP but the provider refuses them: whole call 400": (
        _AN_ERROR,
        _MAPPED,
        _AND_BACK,
        f"{IMPORTED}:test_names_of_real_servers_hardly_change",
    ),
    "Names made from method + path (`/`, `{}`, capitals) refused": (
        _AN_ERROR,
        _MAPPED,
        f"{IMPORTED}:test_capitals_are_kept_and_resolved_like_any_name",
        f"{IMPORTED}:test_an_intent_tells_capitals_apart",
    ),
    "Slash used as app/skill separator refused": (
        _AN_ERROR,
        _MAPPED,
        f"{IMPORTED}:test_an_imported_name_makes_a_tool_name_that_is_taken_everywhere",
        f"{SDK}.test_names:test_names_map_both_ways",
    ),
    "A tool added in mid-conversation with an illegal name kills the NEXT turn": (
        f"{MODELS}.test_sent_names:test_a_tool_that_is_added_in_mid_conversation_does_not_end_it",
        f"{MODELS}.test_sent_names:test_what_is_sent_is_legal_and_comes_back",
        "tests.integration.test_litellm:test_names_that_a_family_refuses_are_sent_otherwise_and_come_back",
    ),
    "Two names of one server normalise to the same wire name; both sent": (
        f"{AUTHORED}:test_the_dotted_twin_of_a_skill_is_set_aside_and_not_taken_for_it",
        f"{IMPORTED}:test_two_names_that_become_alike_both_stay",
        f"{IMPORTED}:test_of_names_with_the_same_hash_none_takes_the_others_place",
    ),
    "app+skill longer than 64: provider 400, seen by nobody": (
        f"{AUTHORED}:test_skills_that_differ_only_behind_the_limit_are_both_refused",
        f"{SDK}.test_ids:test_tool_names_over_the_limit_are_quarantined",
        f"{IMPORTED}:test_an_imported_name_makes_a_tool_name_that_is_taken_everywhere",
        f"{IMPORTED}:test_an_app_id_that_leaves_no_room_is_reported",
    ),
    "Cutting the end to 64 makes two tools of one server identical": (
        f"{AUTHORED}:test_skills_that_differ_only_behind_the_limit_are_both_refused",
        f"{IMPORTED}:test_names_that_differ_only_behind_the_limit_are_told_apart",
    ),
    "Collision after cutting lets a tool of a NOT allowed server pass the allow-list": (
        f"{IMPORTED}:test_an_allow_list_compares_identities",
        f"{PREPROCESSOR}.test_expand:test_a_limit_to_one_app_lets_nothing_of_an_app_with_a_like_name_through",
        f"{MODELS}.test_sent_names:test_what_is_sent_in_a_names_place_is_no_skills_own_name",
    ),
    "Some clients/models stop at 60, not 64": (
        f"{SDK}.lint.test_wirenames:test_a_name_that_some_clients_do_not_take_is_a_hint",
        f"{MODELS}.test_sent_names:test_only_what_a_family_refuses_is_sent_otherwise",
        f"{IMPORTED}:test_an_imported_name_makes_a_tool_name_that_is_taken_everywhere",
    ),
    "Two servers, same tool name: call to the second runs on the first": (
        f"{IMPORTED}:test_no_name_of_one_app_is_anothers",
        f"{EXECUTOR}.test_run:test_skills_of_one_id_in_two_apps_each_run_their_own",
    ),
    "Same name: first kept, the rest dropped silently": (
        f"{AUTHORED}:test_one_app_mounted_twice_is_two_apps",
        f"{SDK}.test_discovery:test_of_two_apps_with_one_id_the_first_directory_counts",
        f"{IMPORTED}:test_the_same_name_twice_is_reported_and_has_one_skill",
    ),
    "A second registration overwrites the first silently": (
        f"{AUTHORED}:test_the_second_skill_of_an_id_does_not_replace_the_first",
        f"{SDK}.test_ids:test_the_second_skill_of_an_id_is_quarantined",
        f"{IMPORTED}:test_a_declared_id_is_not_taken_away",
    ),
}

_SCHEMAS = f"{SDK}.schemas.test_hostile_rows"
_UPGRADED = f"{SDK}.schemas.test_upgrading"
_DIALECTS = f"{SDK}.schemas.dialects.test_hostile_schemas"
_LEGAL = f"{_SCHEMAS}:test_each_is_sent_legally_and_calls_are_held_to_its_meaning"
_ON_THE_WIRE = "tests.e2e.test_hostile_schemas:test_every_request_is_legal_and_calls_are_held_to_the_source"

B = {
    "Top-level oneOf/anyOf/allOf in one tool: EVERY request 400": (
        _LEGAL,
        _ON_THE_WIRE,
        f"{_DIALECTS}:test_alternatives_at_the_root_become_one_object",
    ),
    "Same rule at OpenAI (also enum/not at root; root must be object); one bad tool takes all others down": (
        _LEGAL,
        _ON_THE_WIRE,
        f"{_DIALECTS}:test_what_is_sent_is_legal_for_its_family",
        f"{SDK}.schemas.dialects.test_tool_schemas:test_a_schema_that_cannot_be_sent_costs_its_own_skill",
    ),
    '"at least one of a,b,c" expressed as root anyOf breaks even requests that never use the tool': (
        _LEGAL,
        _ON_THE_WIRE,
        f"{_DIALECTS}:test_a_rule_over_the_fields_moves_into_the_description",
    ),
    "Root `type: string` passed on unchecked; whole turn fails until the tool is found by hand": (
        f"{_SCHEMAS}:test_a_root_that_is_no_object_costs_its_own_skill",
        _ON_THE_WIRE,
        "tests.e2e.test_hostile_schemas:test_the_catalog_says_why_a_skill_is_set_aside",
    ),
    "Draft-4 boolean `exclusiveMinimum` under a 2020-12 `$schema`: whole list 400": (
        _LEGAL,
        _ON_THE_WIRE,
        f"{_UPGRADED}:test_each_spelling_has_its_equal",
        f"{_UPGRADED}:test_an_old_schema_means_what_its_draft_says",
        f"{_UPGRADED}:test_an_author_is_told_where",
    ),
    "`type: [number, null]` makes strict hosts drop the tool silently (3 of 44)": (
        _LEGAL,
        _ON_THE_WIRE,
        f"{_UPGRADED}:test_an_author_is_told_where",
        f"{_DIALECTS}:test_a_type_with_null_is_written_as_each_family_reads_it",
    ),
    "`type: [array, null]` converted to something the provider refuses": (_LEGAL, _ON_THE_WIRE),
    "Array without `items`: chat template of local servers fails with 500": (_LEGAL, _ON_THE_WIRE),
    "VS Code refuses arrays without items; the element type is lost on `array or null`": (
        _LEGAL,
        f"{_SCHEMAS}:test_the_shape_inside_survives",
    ),
    '`required: null` refused ("want array")': (_LEGAL, _ON_THE_WIRE, f"{_UPGRADED}:test_an_author_is_told_where"),
    '`$defs`/`$ref` unsupported or "undefined schema" although valid': (_LEGAL, _ON_THE_WIRE),
    "`$ref` dropped, not inlined: required argument with no shape, no error": (
        f"{_SCHEMAS}:test_the_shape_inside_survives",
        f"{_DIALECTS}:test_a_reference_becomes_the_shape_it_names",
        _ON_THE_WIRE,
    ),
    "tool-search RESULT carrying a raw schema with `$ref` crashes the turn (provider resolves refs inside results)": (
        _LEGAL,
        f"{_DIALECTS}:test_a_reference_becomes_the_shape_it_names",
    ),
    "Deferred loading hands back `properties: {}`; then all arguments are stripped": (
        f"{_SCHEMAS}:test_a_skill_is_shown_the_same_whenever_it_is_loaded",
        f"{_SCHEMAS}:test_the_shape_inside_survives",
    ),
}

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
        f"{EXECUTOR}.test_calls:test_json_as_text_is_read_as_strictly_as_arguments",
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

_FOUND = f"{PREPROCESSOR}.retrieval.test_lexical"
_BYTES = "tests.integration.test_same_bytes:test_no_order_of_files_directories_or_hashes_reaches_the_wire"
_SAME_SET = f"{PREPROCESSOR}.test_exposure:test_the_same_set_is_the_same_bytes_whatever_each_is_sent_for"

# what `tool_search` and conversations add to G comes with them: the rows that need them show what holds without
G = {
    "Deferred tool called straight from the names list: validation error, needs a search first": (
        f"{PREPROCESSOR}.test_exposure:test_the_contract_holds_all_that_is_available",
        f"{LOOP}:test_a_skill_that_a_model_was_not_shown_runs_all_the_same",
    ),
    'snake_case kept as one token: "create edge" never finds `create_edge`; field weights ignored': (
        f"{_FOUND}:test_words_of_the_name_in_any_order",
        f"{_FOUND}:test_repeating_a_word_gains_nothing",
        f"{_FOUND}:test_an_example_sharpens_the_ranking",
    ),
    # in part: a translation that shares no word with the catalog's texts is found by meaning only
    "Non-English query or description: nothing found (ASCII tokenizer; Japanese unsplit; cross-language never)": (
        f"{_FOUND}:test_other_languages_and_scripts",
        f"{_FOUND}:test_other_languages_over_english_texts_find_what_both_write_alike",
        f"{_FOUND}:test_a_translation_is_not_found_by_its_words",
        f"{PREPROCESSOR}.retrieval.test_text:test_no_script_is_lost",
    ),
    "Whole-phrase substring search: natural queries give 0; the agent concludes the ability does not exist": (
        f"{_FOUND}:test_a_natural_sentence_finds_the_words_it_holds",
        f"{_FOUND}:test_argument_names_and_texts_are_found",
    ),
    "Tool list computed once per request: a search result can't be called in the same run": (
        f"{LOOP}:test_a_name_that_is_learned_in_the_turn_is_called_in_it",
    ),
    'Short follow-up ("London") finds nothing: the tool found a turn ago must stay': (
        f"{PREPROCESSOR}.test_pipeline:test_a_follow_up_keeps_its_skill",
        f"{PREPROCESSOR}.test_ranking:test_a_short_follow_up_is_asked_with_what_it_follows",
        "tests.e2e.test_preselection:test_a_follow_up_has_the_skill_of_the_question_before",
    ),
    "Set changes with equal count between runs: 49 of 99 cache misses": (
        _SAME_SET,
        "tests.e2e.test_preselection:test_the_same_skills_are_the_same_bytes_from_turn_to_turn",
    ),
}

H = {
    "Order follows load timing of servers: same set, other bytes": (
        _BYTES,
        f"{PREPROCESSOR}.test_exposure:test_the_same_bytes_whatever_the_load_order",
        f"{SDK}.test_discovery:test_catalog_order_is_apps_by_id_then_skills_as_declared",
    ),
    "65 same tools in 4 orders: 6.7% cache hits over 30 days; replay in the same order read 23,457 cached tokens, new order 0": (
        f"{PREPROCESSOR}.test_exposure:test_65_tools_in_any_order_of_preselection_are_the_same_bytes",
        _SAME_SET,
        _BYTES,
    ),
    "Sort by name at every merge point; spec now asks it of servers": (
        _BYTES,
        f"{PREPROCESSOR}.test_exposure:test_the_same_bytes_under_any_hash_seed",
        f"{SDK}.test_hashing:test_digest_is_the_same_everywhere",
    ),
}

I = {  # noqa: E741 - the group's letter
    "`NO`/`no` key or value becomes false": (
        f"{SDK}.manifest.test_yaml_source:test_country_codes_stay_text_and_are_hinted_with_their_place",
        f"{SDK}.test_hostile_manifests:test_labels_stay_what_was_written_up_to_the_schema_that_is_sent",
    ),
    'YAML 1.1 and 1.2 loaders disagree; strings "no" where false was meant': (
        f"{SDK}.test_hostile_manifests:test_what_another_loader_reads_otherwise_stays_text_and_is_hinted",
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

ROWS: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"A": A, "B": B, "C": C, "D": D, "E": E, "F": F, "G": G, "H": H, "I": I, "J": J}
)
