"""The claims part of a result page. An experiment without a recipe, or with a recipe without claims, has none."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.findings.claims.in_words import interval_of, value_of
from dashboard.findings.claims.outcomes import ClaimOutcome, outcomes_of
from dashboard.findings.crash.trials import engine_in
from dashboard.findings.shown import ResultView
from dashboard.findings.tested import naming
from dashboard.records.experiments.claims import claims_of
from dashboard.records.experiments.models import Experiment
from dashboard.text.numbers import at
from dashboard.text.words import listed
from workers.analysis.predicates.bounds import Outcome

LOOKS: dict[Outcome, str] = {"held": "held", "not held": "warned", "not decidable": "unknown"}  # classes of badges.css


@dataclass(frozen=True)
class ClaimRow:
    """One claim on one server, as the page says it. `server`: "" where there is only one; `elsewhere`: the numbers of
    threads that the claim fixes, in a sentence, where they are not that of the page."""

    id: str
    says: str
    asks: str
    article: str
    value: str
    interval: str
    outcome: str
    look: str
    why: str
    today: str
    server: str
    elsewhere: str


def context(experiment: Experiment, view: ResultView) -> dict[str, object] | None:
    found = outcomes_of(experiment)
    if not found:
        return None
    claims = claims_of(experiment)
    chosen = [one for one in found if one.server_id in view.servers]
    return {
        "rows": [_row(one, view) for one in chosen],
        "summary": _summary(chosen),
        "changed": [view.clean(said) for said in claims.changed],
        "title": view.clean(claims.title),
        "size": experiment.recipe_size,
    }


def _summary(found: list[ClaimOutcome]) -> list[dict[str, object]]:
    counts = Counter(one.outcome for one in found)
    return [
        {"look": look, "says": f"{counts[outcome]} of {len(found)} {outcome}"}
        for outcome, look in LOOKS.items()
        if counts[outcome]
    ]


def _row(one: ClaimOutcome, view: ResultView) -> ClaimRow:
    texts = {name: view.clean(getattr(one, name)) for name in ("id", "says", "article", "why", "today")}
    return ClaimRow(
        **texts,
        asks=naming(engine_in(view.trials), view.clean(one.asks)),
        value=value_of(one.measured),
        interval=interval_of(one.measured),
        outcome=one.outcome,
        look=LOOKS[one.outcome],
        server=view.names[one.server_id] if len(view.names) > 1 else "",
        elsewhere=_elsewhere(one.threads, view.at_threads),
    )


def _elsewhere(threads: Sequence[int], shown: int) -> str:
    if not threads or tuple(threads) == (shown,):
        return ""
    return f"The claim is about {listed([*map(str, threads[:-1]), at(threads[-1])])}. This page shows {at(shown)}."
