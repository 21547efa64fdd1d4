"""The claims of the articles, as docs/research/claims.md states them."""

from dataclasses import dataclass

from dashboard.pages.documents import tables


@dataclass(frozen=True)
class ArticleClaim:
    """`id`: recipes, tests and documents refer to it. `articles`: their titles."""

    id: str
    says: str
    articles: tuple[str, ...]


def read(document: str) -> tuple[ArticleClaim, ...]:
    claims, titles = tables(document)
    title = {short: long for short, long in titles}
    return tuple(ArticleClaim(id, says, tuple(title[one] for one in known.split(", "))) for id, says, known in claims)


ARTICLE_CLAIMS = read("research/claims.md")
