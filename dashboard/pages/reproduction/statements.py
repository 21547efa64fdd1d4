"""Every statement of the recipes beside its newest measurement, by claim of the articles."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from dashboard.findings.claims.outcomes import ClaimOutcome
from dashboard.findings.claims.told import interval_of, value_of
from dashboard.pages.reproduction.articles import ARTICLE_CLAIMS, ArticleClaim
from dashboard.pages.reproduction.newest import Newest, newest
from dashboard.pages.results.claims_page import LOOKS
from dashboard.records.experiments.claims import variants_of
from dashboard.text.numbers import UNKNOWN
from workers.analysis.predicates.bounds import Effect
from workers.analysis.predicates.claim import Claim
from workers.bench.plan import Plan
from workers.bench.recipes import Recipe

NOT_MEASURED = "not measured yet"
TEXTS = frozenset(("id", "says", "article", "today"))  # of a claim: how it is told, not what it asks
BEYOND = ArticleClaim("", "Statements of recipes that are of none of the articles", ())


@dataclass(frozen=True)
class ArticleStatement:
    """A recipe's sentence with what was measured on one server; `newest` None: nothing yet."""

    recipe: Recipe
    id: str
    says: str
    asks: str
    article: str
    outcome: str = NOT_MEASURED
    measured: Effect | None = None
    why: str = ""
    today: str = ""
    server: str = ""
    builds: tuple[str, ...] = ()
    storages: tuple[str, ...] = ()
    newest: Newest | None = None

    @property
    def value(self) -> str:
        return value_of(self.measured) if self.measured else UNKNOWN

    @property
    def interval(self) -> str:
        return interval_of(self.measured) if self.measured else ""

    @property
    def look(self) -> str:
        return LOOKS.get(self.outcome, "waiting")

    @property
    def measured_at(self) -> datetime | None:
        return self.newest.experiment.ended_at if self.newest else None

    @property
    def place(self) -> str:
        """mysql-5.5.9 on k=5ms,r=100MB/s"""
        return " on ".join(", ".join(names) for names in (self.builds, self.storages) if names)


@dataclass(frozen=True)
class Section:
    """A claim of the articles with the statements that measure it."""

    claim: ArticleClaim
    statements: tuple[ArticleStatement, ...]


def sections(recipes: Iterable[Recipe]) -> list[Section]:
    """In the articles' order; at the end what is of none of them, if anything."""
    known = [recipe for recipe in recipes if recipe.claims]
    found = newest(recipe.key for recipe in known)
    told = [one for recipe in known for one in _statements(recipe, found.get(recipe.key))]
    ids = {claim.id for claim in ARTICLE_CLAIMS}
    made = [Section(claim, tuple(one for one in told if one.id == claim.id)) for claim in ARTICLE_CLAIMS]
    beyond = tuple(one for one in told if one.id not in ids)
    return [*made, *([Section(BEYOND, beyond)] if beyond else [])]


def _statements(recipe: Recipe, newest: Newest | None) -> Iterable[ArticleStatement]:
    outcomes = newest.outcomes if newest else []
    for claim in recipe.claims:
        asks = _asks(claim.as_dict())
        answers = [outcome for asked, outcome in outcomes if _asks(asked) == asks]
        if newest and answers:
            yield from (_measured(recipe, claim, newest, outcome) for outcome in answers)
        else:
            yield ArticleStatement(recipe, claim.id, claim.says, claim.in_words, claim.article)


def _asks(claim: Mapping[str, object]) -> dict[str, object]:
    """Its predicate and bounds. A recipe that asks something else by now was not measured yet."""
    return {name: value for name, value in claim.items() if name not in TEXTS}


def _measured(recipe: Recipe, claim: Claim, newest: Newest, outcome: ClaimOutcome) -> ArticleStatement:
    server = outcome.server_id
    builds, storages = _places(claim, newest, server)
    return ArticleStatement(
        recipe,
        claim.id,
        claim.says,
        claim.in_words,
        claim.article,
        outcome=outcome.outcome,
        measured=outcome.measured,
        why=outcome.why,
        today=claim.today if outcome.outcome == "not held" else "",
        server=newest.names[server] if len(newest.names) > 1 or server not in newest.builds else "",
        builds=builds,
        storages=storages,
        newest=newest,
    )


def _places(claim: Claim, newest: Newest, server: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Builds and simulated devices of the variants that the claim speaks of."""
    names = variants_of(claim.as_dict())
    variants = [one for one in Plan.from_dict(newest.experiment.plan).variants if one.name in names]
    builds = (one.build or newest.builds.get(server, "") for one in variants)
    return _named(builds), _named(one.storage for one in variants)


def _named(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys(names) if name)
