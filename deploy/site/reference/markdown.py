"""The few forms of Markdown that the generated pages are made of. Texts of the registries become plain text."""

import re
from collections.abc import Iterable, Sequence

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|$])")


def plain(text: object) -> str:
    """The text as it is: none of its characters is markup."""
    return SPECIAL.sub(r"\\\1", " ".join(str(text).split()))


def code(text: object) -> str:
    return f"`{text}`" if str(text) else ""


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are Markdown; "|" may not stand in code."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def block(text: str) -> str:
    return f"```text\n{text.strip()}\n```\n"


def page(title: str, *parts: str) -> str:
    return "\n".join([f"# {title}", "", *parts])
