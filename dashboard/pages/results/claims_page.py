"""The claims part of a result page; nothing where the experiment was made from no recipe with claims."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dashboard.findings.claims.outcomes import outcomes_of
from dashboard.findings.claims.told import interval_of, value_of
from dashboard.findings.shown import Shown
from dashboard.records.experiments.models import Experiment

LOOKS = {"held": "held", "not held": "warned", "not decidable": "unknown"}  # classes of badges.css


@dataclass(frozen=True)
class Row:
    """One claim on one server, as the page says it. `server` is "" where there is only one."""

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


def context(experiment: Experiment, shown: Shown) -> dict[str, Any] | None:
    found = outcomes_of(experiment)
    if not found:
        return None
    chosen = [one for one in found if shown.server_id in (None, one["server_id"])]
    return {
        "rows": [_row(one, shown) for one in chosen],
        "summary": _summary(chosen),
        "changed": [shown.clean(said) for said in experiment.claims["changed"]],
        "title": shown.clean(experiment.claims["title"]),
        "size": experiment.recipe_size,
    }


def _summary(found: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    counts = Counter(one["outcome"] for one in found)
    return [
        {"look": look, "says": f"{counts[outcome]} {outcome}"} for outcome, look in LOOKS.items() if counts[outcome]
    ]


def _row(one: Mapping[str, Any], shown: Shown) -> Row:
    texts = {name: shown.clean(one[name]) for name in ("id", "says", "asks", "article", "why", "today")}
    return Row(
        **texts,
        value=value_of(one["measured"]),
        interval=interval_of(one["measured"]),
        outcome=one["outcome"],
        look=LOOKS[one["outcome"]],
        server=shown.names[one["server_id"]] if len(shown.names) > 1 else "",
    )
