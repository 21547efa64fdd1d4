"""Whether each claim of an experiment's recipe held: computed once, kept in `Experiment.outcomes`.

{"made_of": {...},     # the runs behind it; another value makes it stale
 "outcomes": [ClaimOutcome as JSON, ...]}
"""

from dataclasses import asdict, dataclass, replace

from django.db.models import Count, Max

from dashboard.findings.claims.evidence import ServerResult, read
from dashboard.installation.stored import read as read_stored
from dashboard.records.experiments.claims import claims_of
from dashboard.records.experiments.models import Experiment, Run
from workers.analysis.predicates.bounds import Effect, Outcome
from workers.analysis.predicates.claim import Claim
from workers.analysis.predicates.flush import FlushFigure

_METHOD = 10  # raise it when predicates or their words change; then stored outcomes are computed again


@dataclass(frozen=True)
class ClaimOutcome:
    """A claim on one server. `asks`: its predicate in words; `why`: the reason why it is not decidable; `today`: only
    if it is not held; `threads`: the numbers of threads that it fixes."""

    id: str
    says: str
    article: str
    asks: str
    outcome: Outcome
    measured: Effect
    why: str
    today: str
    server_id: int
    threads: tuple[int, ...]

    def as_dict(self) -> dict[str, object]:
        """As stored: the effect's own `why` is left out, because the outcome has one."""
        measured = {name: value for name, value in asdict(self.measured).items() if name != "why"}
        return {**vars(self), "measured": measured}


def outcomes_of(experiment: Experiment) -> list[ClaimOutcome]:
    """In the recipe's order, server by server; computed again if the stored value is stale."""
    if not claims_of(experiment).claims:
        return []
    made_of = _made_of(experiment)
    if experiment.outcomes.get("made_of") == made_of:
        return _stored(experiment)
    found = judge(experiment)
    experiment.outcomes = {"made_of": made_of, "outcomes": [one.as_dict() for one in found]}
    Experiment.objects.filter(pk=experiment.pk).update(outcomes=experiment.outcomes)
    return found


def kept_outcomes(experiment: Experiment) -> list[ClaimOutcome]:
    """The stored outcomes of an experiment that is over, without a check of its runs: for a page that shows many.
    Computed if they are missing or of another method."""
    if experiment.outcomes.get("made_of", {}).get("method") == _METHOD:
        return _stored(experiment)
    return outcomes_of(experiment)


def _stored(experiment: Experiment) -> list[ClaimOutcome]:
    return list(read_stored(tuple[ClaimOutcome, ...], experiment.outcomes["outcomes"]))


def judge(experiment: Experiment) -> list[ClaimOutcome]:
    """Computed from the stored runs; nothing is kept."""
    claims = claims_of(experiment).read()
    return [_judged(claim, result) for result in read(experiment) for claim in claims]


def _judged(claim: Claim, result: ServerResult) -> ClaimOutcome:
    outcome, effect = claim.judge(result)
    return ClaimOutcome(
        id=claim.id,
        says=claim.says,
        article=claim.article,
        asks=claim.in_words,
        outcome=outcome,
        measured=replace(effect, why=""),
        why=effect.why or (_too_wide(claim, effect) if outcome == "not decidable" else ""),
        today=claim.today if outcome == "not held" else "",
        server_id=result.server_id,
        threads=claim.predicate.threads,
    )


def _too_wide(claim: Claim, effect: Effect) -> str:
    """Why complete measurements do not decide."""
    narrows = "more crashes narrow it" if effect.counts else "more repeats narrow it"
    if isinstance(claim.predicate, FlushFigure):  # a device is measured once, before the first repeat
        narrows = "a longer or quieter measurement narrows it"
    return f"the interval reaches over a bound; {narrows}"


def _made_of(experiment: Experiment) -> dict[str, object]:
    """Cells and trials by state, and the last run."""
    runs = Run.objects.filter(cell__experiment=experiment).aggregate(runs=Count("id"), last=Max("id"))
    states = {
        name: dict(rows.order_by().values_list("state").annotate(Count("pk")))
        for name, rows in (("cells", experiment.cells), ("trials", experiment.trials))
    }
    return {"method": _METHOD, **runs, **states}
