"""The newest finished experiment of each recipe: it alone answers the claims, so that nobody can pick a result.
A cancelled or interrupted experiment answers nothing."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, Max

from dashboard.findings.claims.outcomes import ClaimOutcome, kept_outcomes
from dashboard.findings.names import server_names
from dashboard.records.experiments.models import Experiment
from dashboard.records.servers.models import Server
from workers.bench.plan import Plan
from workers.bench.recipes import ALIASES


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
        asked = self.experiment.claims.get("claims", [])
        found = kept_outcomes(self.experiment)
        return [(asked[n % len(asked)], outcome) for n, outcome in enumerate(found)] if asked else []

    @property
    def changed(self) -> list[str]:
        """Differences between its plan and the recipe."""
        return list(self.experiment.claims.get("changed", []))


def newest(recipes: Iterable[str]) -> dict[str, Newest]:
    """By key of the recipe; recipes without a finished experiment are left out."""
    keys = [*recipes]
    here = Experiment.objects.filter(imported_at=None)  # an imported experiment was measured elsewhere
    finished = here.filter(state=Experiment.State.DONE, recipe__in=[*keys, *ALIASES]).order_by()
    counted = finished.exclude(claims={}).values("recipe").annotate(last=Max("pk"), times=Count("pk"))
    last: dict[str, int] = {}
    times: dict[str, int] = {}
    for row in counted:
        key = ALIASES.get(row["recipe"], row["recipe"])
        last[key], times[key] = max(last.get(key, 0), row["last"]), times.get(key, 0) + row["times"]
    rows = Experiment.objects.defer("analysis").select_related("worker").in_bulk(last.values())
    builds = dict(Server.objects.filter(kind=Server.Kind.SANDBOX).values_list("pk", "build"))
    return {
        key: Newest(one, times[key], server_names(Plan.from_dict(one.plan)), builds)
        for key in keys
        if (one := rows.get(last.get(key)))
    }
