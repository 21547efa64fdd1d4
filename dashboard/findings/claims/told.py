"""The outcomes of claims as a terminal shows them."""

from dashboard.experiments.models import Experiment
from dashboard.findings.claims.outcomes import outcomes_of
from dashboard.results.claims_page import interval_of, value_of


def claims_told(experiment: Experiment) -> list[str]:
    """One line each: G3 held: 24 times (22 to 27). At 64 threads ..."""
    told = []
    for one in outcomes_of(experiment):
        interval = interval_of(one["measured"])
        figures = value_of(one["measured"]) + (f" ({interval})" if interval else "")
        why = f" {one['why']}." if one["why"] else ""
        told.append(f"{one['id']} {one['outcome']}: {figures}. {one['says']}{why}")
    return told
