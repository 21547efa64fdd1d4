"""The operations of the API and the shapes of what they take and answer, from its OpenAPI document."""

from collections.abc import Iterator

from dashboard.pages.api import document
from reference.markdown import block, code, page, plain, table


def page_of_api() -> str:
    return page(
        "Operations of the API",
        "[The API](../docs/api.md) says how to make a token, and the rules that all operations share. `HERE` is the "
        "address of the installation, `TOKEN` the token.\n",
        *(part for title, group in document.groups().items() for part in _group(title, group)),
        "## Shapes\n",
        *(_shape(name) for name in document.shapes()),
    )


def _group(title: str, group: list[document.ListedOperation]) -> Iterator[str]:
    yield f"## {plain(title)}\n"
    for one in group:
        yield f"### {plain(one.title)}\n"
        yield f"{code(f'{one.method} {one.path}')}\n"
        yield f"{plain(one.says)} Scope: {code(one.scope)}. {plain(one.role)}.\n"
        if one.parameters:
            told = ((code(each["name"]), code(each["type"].replace("|", "or"))) for each in one.parameters)
            yield table(("parameter", "type"), told)
        takes = f"Takes {code(one.body)}. " if one.body else ""
        yield takes + "Answers " + ", ".join(f"{status}: {code(shape)}" for status, shape in one.answers) + ".\n"
        yield block(one.curl)


def _shape(name: str) -> str:
    fields = document.shapes()[name]
    rows = (
        (code(one["name"]), code(one["type"].replace("|", "or")), "yes" if one["needed"] else "", plain(one["says"]))
        for one in fields
    )
    return f"### {name}\n\n" + table(("field", "type", "needed", "what"), rows)
