"""The keywords of JSON Schema, and words that others have put beside them."""

from __future__ import annotations

KEYWORDS = frozenset(
    {"$id", "$schema", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary", "$comment", "$defs"}
    | {"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "prefixItems", "items", "contains"}
    | {"properties", "patternProperties", "additionalProperties", "propertyNames", "unevaluatedItems", "unevaluatedProperties"}
    | {"type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength"}
    | {"minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxContains", "minContains", "maxProperties"}
    | {"minProperties", "required", "dependentRequired", "title", "description", "default", "deprecated", "readOnly"}
    | {"writeOnly", "examples", "format", "contentEncoding", "contentMediaType", "contentSchema"}
    | {"definitions", "dependencies", "$recursiveAnchor", "$recursiveRef"}
)
"""All that the metaschema of draft 2020-12 knows, those included that it keeps for compatibility."""

KEYWORDS_OF_OLDER_DRAFTS = frozenset({"id", "additionalItems", "divisibleBy", "disallow", "extends"})
"""What drafts 3 to 2019-09 had besides; draft 2020-12 reads none of them."""

WORDS_OF_OTHERS = frozenset(
    {"nullable", "discriminator", "xml", "externalDocs", "example"}
    | {"propertyOrdering", "optional", "strict"}
    | {"enumNames", "enumDescriptions", "markdownDescription", "markdownEnumDescriptions", "deprecationMessage"}
    | {"errorMessage", "patternErrorMessage", "defaultSnippets", "doNotSuggest", "suggestSortText"}
)
"""Words of OpenAPI 3.0, of providers' interfaces and of editors: nobody's misspelling.

Two of them are read: `nullable: true`, where an app is loaded, and `example`, which models are shown as one of `examples`.
"""
