"""The dialect in use in the field."""

from __future__ import annotations

from pathlib import Path

from tests.support.loading import list_shown, load_manifest


def test_translation_keys_without_texts_give_readable_names(tmp_path: Path) -> None:
    """Without a texts file a name is made from the id; a raw key never stands in front of a model."""
    catalog = load_manifest(
        tmp_path,
        """\
        name_translation_key: app.one
        skills:
        - id: get-posts
          name_translation_key: app_skills.one.get_posts
          description_translation_key: app_skills.one.get_posts.description
          preprocessor_hint: Gets posts.
          class_path: |
            apps.one.skills.echo.EchoSkill
          tool_schema: {type: object, properties: {}}
        """,
    )
    skill = catalog.skills["one-get-posts"]
    assert (catalog.by_app["one"].name, skill.name, skill.description, skill.hint) == (
        "One",
        "Get posts",
        "Gets posts.",
        "Gets posts.",
    )


def test_the_dialect_of_the_field_loads_without_noise(tmp_path: Path) -> None:
    """Every key in use is read or kept aside in silence, and traps inside what others own are not ours to mention."""
    catalog = load_manifest(
        tmp_path,
        """\
        name_translation_key: web
        description_translation_key: web.description
        icon_image: |
          web.svg
        category: information
        last_updated: 2025-11-03
        provider_display_order: [Brave]
        model_aliases: {fast: x}
        expose_in_api: yes
        embeds: []
        embed_types: [{id: card, on: 12:30}]
        marketing_discovery: {no: {y: 1}}
        instructions:
        - {instruction: "Prefer x.", categories: [research], for_embed_types: [card]}
        skills:
        - id: search
          name_translation_key: web.search
          preprocessor_hint: Searches.
          examples: [find it]
          class_path: apps.one.skills.echo.EchoSkill
          internal: true
          icon_image: s.svg
          pricing: {per_unit: {credits: 5, unit_name: on}, fixed: 1_000}
          api_config: {expose_get: true, expose_post: true}
          suggestions_follow_up_requests: [a]
          full_model_reference: x/y
          skill_config: {a: b}
          providers: [Brave, {name: X, no_api_key: true, id: x, scope: s, region: eu, display_name: X,
                      api_key_vault_path: p, requires_api_key: true}]
          tool_schema: {type: object, properties: {}}
        focuses:
        - {id: research, preprocessor_hint: h, systemprompt: p, process_translation_key: k, icon_image: i, discount: 5,
           allowed_models: [m], recommended_model: m, allowed_apps: [one],
           allowed_skills: ["one:search", "one:*"], denied_skills: []}
        memory:
        - {id: saved, description: d, type: list, schema: {}, icon_image: i, example_translation_keys: [a], example_entries: [b]}
        """,
    )
    assert list_shown(catalog) == []
    extras = [finding for finding in catalog.findings if finding.is_extra]
    assert {finding.code for finding in extras} == {"opaque-key"}
    assert [finding.position.line for finding in extras if "'pricing'" in finding.message] == [23]
    assert [(name, skill.internal) for name, skill in catalog.skills.items()] == [("one-search", True)]
    assert list(catalog.focus_modes) == ["one-research"]
    assert list(catalog.memories) == ["one-saved"]


def test_keys_for_anchors_are_allowed(tmp_path: Path) -> None:
    """A key that starts with `x-` is a place for shared parts."""
    catalog = load_manifest(
        tmp_path,
        """\
        x-skill: &skill
          description: d
          class_path: apps.one.skills.echo.EchoSkill
          tool_schema: {type: object, properties: {}}
        skills:
        - {id: a, <<: *skill, examples: [e]}
        - {id: b, <<: *skill, examples: [f], description: other}
        """,
    )
    assert catalog.findings == ()
    assert [skill.description for skill in catalog.skills.values()] == ["d", "other"]
