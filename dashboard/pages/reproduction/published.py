"""What was published: the claims of the articles, as docs/research/claims.md states them, and reports of bugs, as
docs/research/known-bugs.md lists them: those that a recipe tries, and the others with the reason."""

from dataclasses import dataclass

from dashboard.pages.documents import tables


@dataclass(frozen=True)
class ArticleClaim:
    """`id`: recipes, tests and documents refer to it. `articles`: their titles; a report of a bug has none."""

    id: str
    says: str
    articles: tuple[str, ...]


@dataclass(frozen=True)
class UntriedReport:
    id: str
    says: str
    why: str


def _claims() -> tuple[ArticleClaim, ...]:
    claims, titles = tables("research/claims.md")
    title = {short: long for short, long in titles}
    return tuple(ArticleClaim(id, says, tuple(title[one] for one in known.split(", "))) for id, says, known in claims)


def _reports() -> tuple[tuple[ArticleClaim, ...], tuple[UntriedReport, ...]]:
    tried, untried, *_ = tables("research/known-bugs.md")
    return tuple(ArticleClaim(id, says, ()) for id, says, _ in tried), tuple(UntriedReport(*row) for row in untried)


ARTICLE_CLAIMS = _claims()
REPORTS, UNTRIED_REPORTS = _reports()
