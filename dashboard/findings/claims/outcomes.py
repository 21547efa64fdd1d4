"""Whether each claim of an experiment's recipe held: worked out once, kept in `Experiment.outcomes`.

{"made_of": {...},     # what it rests on; another value makes it stale
 "outcomes": [{"id", "says", "article", "asks",        # the claim, and its predicate in words
               "outcome": "held" | "not held" | "not decidable",
               "measured": {"value", "lo", "hi", "unit", "counts"},   # null: not known
               "why": "...",                            # where something was not known
               "today": "...",                          # only where it was not held
               "server_id": 1}]}
"""

from dataclasses import asdict
from typing import Any

from django.db.models import Count, Max

from dashboard.findings.claims.evidence import Evidence, read
from dashboard.records.experiments.claims import claims_of
from dashboard.records.experiments.models import Experiment, Run
from workers.analysis.predicates.bounds import Effect
from workers.analysis.predicates.claim import Claim
from workers.analysis.predicates.flush import FlushFigure

_METHOD = 5  # raise it when predicates are judged or told in another way, so that stored outcomes are made again


def outcomes_of(experiment: Experiment) -> list[dict[str, Any]]:
    """In the recipe's order, server by server; from the store where it is still true."""
    if not experiment.claims.get("claims"):
        return []
    made_of = _made_of(experiment)
    if experiment.outcomes.get("made_of") != made_of:
        experiment.outcomes = {"made_of": made_of, "outcomes": judge(experiment)}
        Experiment.objects.filter(pk=experiment.pk).update(outcomes=experiment.outcomes)
    kept: list[dict[str, Any]] = experiment.outcomes["outcomes"]
    return kept


def kept_outcomes(experiment: Experiment) -> list[dict[str, Any]]:
    """Of an experiment that is over, as its end left them: for a page that shows many, and asks nothing more of each.
    Worked out where they were judged in another way, or never."""
    if experiment.outcomes.get("made_of", {}).get("method") == _METHOD:
        return list(experiment.outcomes["outcomes"])
    return outcomes_of(experiment)


def judge(experiment: Experiment) -> list[dict[str, Any]]:
    """Worked out from what is stored; nothing is kept."""
    claims = claims_of(experiment.claims)
    return [_judged(claim, evidence) for evidence in read(experiment) for claim in claims]


def _judged(claim: Claim, evidence: Evidence) -> dict[str, Any]:
    outcome, effect = claim.judge(evidence)
    measured = asdict(effect)
    why = measured.pop("why") or (_too_wide(claim, effect) if outcome == "not decidable" else "")
    return {
        "id": claim.id,
        "says": claim.says,
        "article": claim.article,
        "asks": claim.in_words,
        "outcome": outcome,
        "measured": measured,
        "why": why,
        "today": claim.today if outcome == "not held" else "",
        "server_id": evidence.server_id,
    }


def _too_wide(claim: Claim, effect: Effect) -> str:
    """Why what was fully measured does not decide."""
    if effect.counts:
        return "the interval reaches over a bound; more crashes narrow it"
    if isinstance(claim.predicate, FlushFigure):  # a device is measured once, before the first repeat
        return "the interval reaches over a bound; a longer or quieter measurement narrows it"
    return "the interval reaches over a bound; more repeats narrow it"


def _made_of(experiment: Experiment) -> dict[str, Any]:
    """Cells and trials by their state, and the last of the runs."""
    runs = Run.objects.filter(cell__experiment=experiment).aggregate(runs=Count("id"), last=Max("id"))
    states = {
        name: dict(rows.order_by().values_list("state").annotate(Count("pk")))
        for name, rows in (("cells", experiment.cells), ("trials", experiment.trials))
    }
    return {"method": _METHOD, **runs, **states}
