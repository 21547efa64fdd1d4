"""The exported file: its JSON Schema as tables."""

from typing import Any

from dashboard.portable import shape
from reference.markdown import code, page, plain, table


def page_of_file() -> str:
    schema = shape.schema()
    parts = [_part(name, part) for name, part in sorted(schema["$defs"].items()) if "properties" in part]
    return page(
        "Fields of an exported file",
        "[An experiment as one file](../docs/portable.md) says what is in which part. `experiment-file.schema.json` "
        "holds the same with all limits.\n",
        *parts,
    )


def _part(name: str, part: dict[str, Any]) -> str:
    needed = part.get("required", ())
    rows = ((code(key), code(kind(one)), "yes" if key in needed else "") for key, one in part["properties"].items())
    return f"## {plain(name)}\n\n{plain(part.get('description', ''))}\n\n{table(('field', 'type', 'needed'), rows)}"


def kind(schema: dict[str, Any]) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if inner := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(dict.fromkeys(map(kind, inner)))
    if "const" in schema or "enum" in schema:
        return ", ".join(f'"{one}"' for one in schema.get("enum", (schema.get("const"),)))
    if schema.get("type") == "array":
        return f"list of {kind(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("type", "anything"))
