"""The description of the API holds only what generators of clients read."""

from collections.abc import Iterator

from dashboard.pages.api.document import openapi
from tests.walks import report


def nodes(value, where="") -> Iterator[tuple[str, dict]]:
    """Each object of the document, with its place."""
    if isinstance(value, dict):
        yield where, value
    for key, one in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from nodes(one, f"{where}/{key}")


def test_no_object_is_a_default():
    """openapi-python-client leaves out a schema with such a property, and all that use it."""
    report(
        where
        for where, node in nodes(openapi()["components"])
        if node.get("default") and isinstance(node["default"], dict)
    )


def test_every_reference_has_its_schema():
    schemas = openapi()["components"]["schemas"]
    named = {
        where: node["$ref"].rpartition("/")[2] for where, node in nodes(openapi()) if isinstance(node.get("$ref"), str)
    }
    assert named
    report(where for where, name in named.items() if name not in schemas)


def test_what_has_few_values_names_them():
    fields = openapi()["components"]["schemas"]["ServerIn"]["properties"]
    assert fields["tls"]["enum"] == ["off", "preferred", "required", "verify"]
    assert fields["label"]["enum"] == ["production", "staging", "test"]
