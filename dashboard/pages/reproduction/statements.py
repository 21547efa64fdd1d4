"""The statements of all recipes with their newest measurement, grouped by claim of the articles, or by published
report."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max

from dashboard.findings.claims.in_words import interval_of, value_of
from dashboard.findings.claims.outcomes import ClaimOutcome, kept_outcomes
from dashboard.findings.names import server_names
from dashboard.pages.reproduction.published import ARTICLE_CLAIMS, REPORTS, ArticleClaim
from dashboard.pages.results.claims_page import LOOKS
from dashboard.records.experiments.claims import claims_of, variants_of
from dashboard.records.experiments.models import Experiment
from dashboard.records.servers.models import Server
from dashboard.text.numbers import UNKNOWN
from workers.analysis.predicates.claim import Claim
from workers.bench.recipes import Recipe

NOT_MEASURED = "not measured yet"
TEXTS = frozenset(("id", "says", "article", "today"))  # parts of a claim that do not change what it asks
BEYOND = ArticleClaim("", "Statements of recipes that belong to no article", ())


@dataclass(frozen=True)
class Newest:
    """`finished`: finished experiments of the recipe; `names`: server id -> name; `builds`: id of a sandbox ->
    its build."""

    experiment: Experiment
    finished: int
    names: Mapping[int, str]
    builds: Mapping[int, str]

    @property
    def outcomes(self) -> list[tuple[Mapping[str, object], ClaimOutcome]]:
        """(Claim as stored with the experiment, outcome), server by server."""
        asked = claims_of(self.experiment).claims
        found = kept_outcomes(self.experiment)
        return [(asked[n % len(asked)], outcome) for n, outcome in enumerate(found)] if asked else []

    @property
    def changed(self) -> tuple[str, ...]:
        """Differences between its plan and the recipe."""
        return claims_of(self.experiment).changed


def newest(recipes: Iterable[str]) -> dict[str, Newest]:
    """By key of the recipe; recipes without a finished experiment are left out."""
    here = Experiment.objects.filter(imported_at=None)  # an imported experiment was measured elsewhere
    finished = here.filter(state=Experiment.State.DONE, recipe__in=[*recipes]).order_by()
    counted = finished.exclude(claims={}).values("recipe").annotate(last=Max("pk"), times=Count("pk"))
    last = {row["recipe"]: (row["last"], row["times"]) for row in counted}
    rows = Experiment.objects.defer("analysis").select_related("worker").in_bulk([pk for pk, _ in last.values()])
    builds = dict(Server.objects.filter(kind=Server.Kind.SANDBOX).values_list("pk", "build"))
    return {
        key: Newest(rows[pk], times, server_names(rows[pk].as_plan()), builds)
        for key, (pk, times) in last.items()
        if pk in rows
    }


@dataclass(frozen=True)
class ArticleStatement:
    """A claim of a recipe with its outcome on one server; `answer` None: not measured yet. `server`: "" if the recipe
    measured only one sandbox."""

    recipe: Recipe
    claim: Claim
    answer: ClaimOutcome | None = None
    newest: Newest | None = None
    server: str = ""
    builds: tuple[str, ...] = ()
    storages: tuple[str, ...] = ()

    @property
    def outcome(self) -> str:
        return self.answer.outcome if self.answer else NOT_MEASURED

    @property
    def look(self) -> str:
        return LOOKS[self.answer.outcome] if self.answer else "waiting"

    @property
    def value(self) -> str:
        return value_of(self.answer.measured) if self.answer else UNKNOWN

    @property
    def interval(self) -> str:
        return interval_of(self.answer.measured) if self.answer else ""

    @property
    def why(self) -> str:
        return self.answer.why if self.answer else ""

    @property
    def today(self) -> str:
        return self.claim.today if self.outcome == "not held" else ""

    @property
    def measured_at(self) -> datetime | None:
        return self.newest.experiment.ended_at if self.newest else None

    @property
    def place(self) -> str:
        """mysql-5.5.9 on k=5ms,r=100MB/s"""
        return " on ".join(", ".join(names) for names in (self.builds, self.storages) if names)


@dataclass(frozen=True)
class Section:
    """A claim of the articles, or a published report, with the statements that measure it."""

    claim: ArticleClaim
    statements: tuple[ArticleStatement, ...]


def statements(recipes: Iterable[Recipe]) -> list[ArticleStatement]:
    """Of all recipes, in their order."""
    known = [recipe for recipe in recipes if recipe.claims]
    found = newest(recipe.key for recipe in known)
    return [one for recipe in known for one in _statements(recipe, found.get(recipe.key))]


def sections(told: Sequence[ArticleStatement]) -> list[Section]:
    """One section per claim in the order of the articles; statements of no article and no report come last."""
    ids = {claim.id for claim in (*ARTICLE_CLAIMS, *REPORTS)}
    beyond = tuple(one for one in told if one.claim.id not in ids)
    return [*_grouped(ARTICLE_CLAIMS, told), *([Section(BEYOND, beyond)] if beyond else [])]


def report_sections(told: Sequence[ArticleStatement]) -> list[Section]:
    """One section per published report that a recipe tries, in the order of the document."""
    return _grouped(REPORTS, told)


def _grouped(claims: Iterable[ArticleClaim], told: Sequence[ArticleStatement]) -> list[Section]:
    return [Section(claim, tuple(one for one in told if one.claim.id == claim.id)) for claim in claims]


def _statements(recipe: Recipe, newest: Newest | None) -> Iterable[ArticleStatement]:
    """One for each server that answered the claim, else one without an answer."""
    for claim in recipe.claims:
        asks, measured = _asks(claim.as_dict()), False
        for asked, answer in newest.outcomes if newest else []:
            if newest and _asks(asked) == asks:
                measured = True
                yield _measured(recipe, claim, newest, answer)
        if not measured:
            yield ArticleStatement(recipe, claim)


def _asks(claim: Mapping[str, object]) -> dict[str, object]:
    """Predicate and bounds. If the recipe has others now, the stored outcome does not answer it."""
    return {name: value for name, value in claim.items() if name not in TEXTS}


def _measured(recipe: Recipe, claim: Claim, newest: Newest, answer: ClaimOutcome) -> ArticleStatement:
    """`builds` and `storages` are those of the variants that the claim compares."""
    own = newest.builds.get(answer.server_id, "")
    variants = variants_of(claim)
    compared = [one for one in newest.experiment.as_plan().variants if one.name in variants]
    return ArticleStatement(
        recipe,
        claim,
        answer,
        newest,
        server=newest.names[answer.server_id] if len(newest.names) > 1 or not own else "",
        builds=_distinct(one.build or own for one in compared),
        storages=_distinct(one.storage for one in compared),
    )


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys(names) if name)
