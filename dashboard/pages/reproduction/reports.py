"""Published reports of bugs, as docs/research/known-bugs.md lists them: those that a recipe tries, and the others with
the reason."""

from dataclasses import dataclass

from dashboard.pages.documents import tables
from dashboard.pages.reproduction.articles import ArticleClaim


@dataclass(frozen=True)
class UntriedReport:
    """`why`: the reason why no recipe tries it."""

    id: str
    says: str
    why: str


def read(document: str) -> tuple[tuple[ArticleClaim, ...], tuple[UntriedReport, ...]]:
    """Reports that a recipe tries, then the others."""
    tried, untried, *_ = tables(document)
    return tuple(ArticleClaim(id, says, ()) for id, says, _ in tried), tuple(UntriedReport(*row) for row in untried)


REPORTS, UNTRIED_REPORTS = read("research/known-bugs.md")
