"""Tables and examples of docs/ that a page shows too: the document is the only place where their words stand."""

import re

from dashboard.installation.home import PROJECT

TOML = re.compile(r"^```toml\n(.*?)^```", re.MULTILINE | re.DOTALL)
CHAPTER = re.compile(r"^## (.+)$", re.MULTILINE)
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)


def tables(name: str) -> list[list[list[str]]]:
    """The cells of each row of each table in docs/`name`, without the heading. No cell may hold "|"."""
    found = TABLE.findall((PROJECT / "docs" / name).read_text())
    return [[_cells(line) for line in table.splitlines()[2:]] for table in found]


def chapters(name: str) -> list[tuple[str, list[list[str]]]]:
    """The heading and the rows of each chapter of docs/`name`. Each has one table."""
    return list(zip(CHAPTER.findall((PROJECT / "docs" / name).read_text()), tables(name), strict=True))


def example(name: str) -> str:
    """The first block of TOML in docs/`name`."""
    found = TOML.search((PROJECT / "docs" / name).read_text())
    return found[1] if found else ""


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line[1:-1].split("|")]
