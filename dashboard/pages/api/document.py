"""The description of the API: OpenAPI 3.1 for programs, and the same as values for the reference page."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from dashboard.pages.api.examples import curl
from dashboard.pages.api.problems import MEDIA_TYPE, Problem
from dashboard.pages.api.service import api, operations
from dashboard.records.accounts.roles import OPERATIONS

Node: TypeAlias = dict[str, Any]  # of the JSON document
PREFIX = "/api/v1/"
UNCHANGED = "Nothing changed since the answer whose ETag is in If-None-Match"
PROBLEM = {"content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}
ALWAYS = {
    "401": "No token, or one that is unknown, expired or revoked",
    "403": "The token's scopes, the person's role or the owner's rule do not allow it",
    "422": "Something in the request does not fit",
    "429": "Too many wrong tokens from this address",
    "default": "Anything else that went wrong",
}


@dataclass(frozen=True)
class ListedOperation:
    """An operation as a part of the page. `title`: List servers; `curl`: a command that calls it."""

    key: str
    title: str
    method: str
    path: str
    says: str
    scope: str
    role: str
    parameters: tuple[Node, ...]
    body: str
    answers: tuple[tuple[str, str], ...]  # status, name of the shape
    curl: str


@cache
def openapi() -> Node:
    """The whole document. It does not change while the process runs."""
    made: Node = dict(api.get_openapi_schema(path_prefix=PREFIX))
    scopes = {one.view_func.__name__: scope for scope, one in operations()}
    for path, method, operation in _each(made):
        scope = scopes[operation["operationId"]]
        operation["security"] = [{"Token": [scope]}]
        operation["description"] = f"{operation['description']}\n\nScope: `{scope}`. {_role(scope)}."
        problems = ALWAYS | ({"404": "There is no such thing"} if "{" in path else {})
        unchanged = {"304": {"description": UNCHANGED}} if method == "get" else {}
        operation["responses"] |= unchanged
        operation["responses"] |= {status: {"description": says, **PROBLEM} for status, says in problems.items()}
        operation["responses"] = {str(status): told for status, told in operation["responses"].items()}
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}", mode="serialization")
    made["components"]["schemas"] |= problem.pop("$defs") | {"Problem": problem}
    return made


def _each(document: Node) -> Iterator[tuple[str, str, Node]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def _role(scope: str) -> str:
    rule = OPERATIONS[scope]
    return f"Least role: {rule.least}{f' ({rule.rule}; administrators: all)' if rule.rule else ''}"


@cache
def groups() -> dict[str, list[ListedOperation]]:
    """Title of a group -> its operations, in the order of the addresses."""
    found: dict[str, list[ListedOperation]] = {}
    for path, method, operation in _each(openapi()):
        found.setdefault(operation["tags"][0], []).append(_entry(path, method, operation))
    return found


def _entry(path: str, method: str, operation: Node) -> ListedOperation:
    [scope] = operation["security"][0]["Token"]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    return ListedOperation(
        key=operation["operationId"],
        title=operation["summary"].capitalize(),
        method=method.upper(),
        path=path,
        says=operation["description"].partition("\n\nScope:")[0].replace("`", ""),
        scope=scope,
        role=_role(scope),
        parameters=tuple({**one, "type": _type(one["schema"])} for one in operation["parameters"]),
        body=_type(body) if body else "",
        answers=tuple(_answers(operation["responses"])),
        curl=curl(method.upper(), path, operation, openapi()["components"]["schemas"]),
    )


def _answers(responses: Node) -> Iterator[tuple[str, str]]:
    for status, told in responses.items():
        if status < "3":
            schema = told.get("content", {}).get("application/json", {}).get("schema")
            yield status, _type(schema) if schema else "nothing"


def shapes() -> dict[str, list[Node]]:
    """Name of a shape -> its fields."""
    schemas = openapi()["components"]["schemas"]
    return {name: list(_fields(schema)) for name, schema in sorted(schemas.items()) if "properties" in schema}


def _fields(schema: Node) -> Iterator[Node]:
    for name, field in schema["properties"].items():
        needed = name in schema.get("required", ())
        yield {"name": name, "type": _type(field), "needed": needed, "says": field.get("description", "")}


def _type(schema: Node) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[-1]
    if "enum" in schema:
        return " | ".join(f'"{one}"' for one in schema["enum"])
    if inner := schema.get("anyOf") or schema.get("allOf"):
        return " | ".join(_type(one) for one in inner)
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("format") or schema.get("type", "anything"))
