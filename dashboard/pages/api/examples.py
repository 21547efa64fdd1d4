"""A curl command for each operation, made of the API's own document.

A field is in the body when it is required or when its schema gives an example (`Field(examples=[...])`).
"""

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any, TypeAlias

Node: TypeAlias = Mapping[str, Any]  # of the JSON document
JSON, FORM = "application/json", "multipart/form-data"
WORDS: dict[str, object] = {"integer": 1, "number": 1.0, "boolean": True, "string": "text", "null": None}


def curl(method: str, path: str, operation: Node, schemas: Node) -> str:
    """Several lines for a shell that knows HERE, the address of the installation, and TOKEN."""
    parts = ["curl -sS" if method == "GET" else f"curl -sS -X {method}", f'"$HERE{_filled(path, operation, schemas)}"']
    parts.append('-H "Authorization: Bearer $TOKEN"')
    body = operation.get("requestBody", {}).get("content", {})
    if JSON in body:
        said = json.dumps(example(body[JSON]["schema"], schemas), ensure_ascii=False)
        parts += [f'-H "Content-Type: {JSON}"', f"-d {shlex.quote(said)}"]
    if FORM in body:
        parts += [
            f"-F {name}=@FILE"
            for name, one in _resolved(body[FORM]["schema"], schemas)["properties"].items()
            if one.get("format") == "binary"
        ]
    if not any(JSON in told.get("content", {JSON: {}}) for told in operation["responses"].values()):
        parts.append("-o FILE")
    first, *further = parts
    return " \\\n  ".join([f"{first} {further[0]}", *further[1:]])


def _filled(path: str, operation: Node, schemas: Node) -> str:
    values = {one["name"]: example(one["schema"], schemas) for one in operation["parameters"] if one["in"] == "path"}
    return re.sub(r"{(\w+)}", lambda found: str(values[found[1]]), path)


def example(schema: Node, schemas: Node) -> object:
    """A value that the schema allows, as small as it can be."""
    schema = _resolved(schema, schemas)
    if given := schema.get("examples"):
        return given[0]
    if "enum" in schema:
        return schema["enum"][0]
    if "const" in schema:
        return schema["const"]
    if "properties" in schema:
        needed = schema.get("required", ())
        shown = {name: _resolved(one, schemas) for name, one in schema["properties"].items()}
        return {name: example(one, schemas) for name, one in shown.items() if name in needed or one.get("examples")}
    if schema.get("type") == "array":
        return [example(schema.get("items", {}), schemas)]
    return {} if schema.get("type") == "object" else WORDS[schema.get("type", "string")]


def _resolved(schema: Node, schemas: Node) -> Node:
    """Behind a reference, or the first of several; what stands beside it stays."""
    behind = schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else {}
    first: Node = next(iter(schema.get("anyOf") or schema.get("allOf") or ()), {})
    beside = {name: value for name, value in schema.items() if name not in ("$ref", "anyOf", "allOf")}
    return {**_resolved(behind or first, schemas), **beside} if behind or first else schema
