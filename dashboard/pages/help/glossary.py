"""The words of the program, as docs/glossary.md explains them: the page shows the same table."""

from pathlib import Path

from dashboard.installation.home import PROJECT
from dashboard.pages.help.terms import Term

FILE = PROJECT / "docs/glossary.md"


def read(path: Path) -> list[tuple[str, Term]]:
    """(Word, explanation) of each row of the table; the column of words that are no longer used is left out."""
    rows = [line.strip("| \n").split(" | ") for line in path.read_text().splitlines() if line.startswith("| ")]
    return [(row[0], Term(row[1].replace("`", "").rstrip(" |"))) for row in rows[1:]]


GLOSSARY = read(FILE)
