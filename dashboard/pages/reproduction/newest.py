"""The newest finished experiment of each recipe: it alone answers the claims, so that nobody can pick a result.
A cancelled or interrupted experiment answers nothing."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Count, Max

from dashboard.findings.claims.outcomes import ClaimOutcome, kept_outcomes
from dashboard.findings.names import server_names
from dashboard.records.experiments.claims import claims_of
from dashboard.records.experiments.models import Experiment
from dashboard.records.servers.models import Server


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
