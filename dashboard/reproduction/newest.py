"""The newest finished experiment of each recipe: what its claims are answered by.

The newest and no other, whatever came out, so that nobody picks the result that pleases. Finished is what measured its
whole plan: one that was cancelled or broke off answers nothing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max

from dashboard.experiments.models import Experiment
from dashboard.findings.claims.outcomes import kept_outcomes
from dashboard.findings.redact import neutral_names, redactor_of
from dashboard.results.addresses import Addresses
from dashboard.results.reader import Reader, reader_of
from dashboard.servers.models import Server
from workers.bench.recipes import ALIASES


@dataclass(frozen=True)
class Newest:
    """`finished`: how often the recipe was measured, this time included; `builds`: sandbox's server id -> its build."""

    experiment: Experiment
    finished: int
    reader: Reader
    builds: Mapping[int, str]

    @property
    def outcomes(self) -> list[tuple[Mapping[str, Any], Mapping[str, Any]]]:
        """(Claim as it was asked, outcome), server by server."""
        asked = self.experiment.claims.get("claims", [])
        found = kept_outcomes(self.experiment)
        return [(asked[n % len(asked)], outcome) for n, outcome in enumerate(found)] if asked else []

    @property
    def changed(self) -> list[str]:
        """How its plan differs from the recipe."""
        return [self.reader.text(said) for said in self.experiment.claims.get("changed", [])]


def newest(recipes: Iterable[str], *, public: bool = False) -> dict[str, Newest]:
    """Recipe -> its newest; those that were never measured are left out. `public`: told without names of servers,
    hosts and paths."""
    keys = [*recipes]
    here = Experiment.objects.filter(imported_at=None)  # what others measured answers for others
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
        key: Newest(rows[last[key]], times[key], _reader(rows[last[key]], public), builds)
        for key in keys
        if key in last
    }


def _reader(experiment: Experiment, public: bool) -> Reader:
    if not public:
        return reader_of(experiment)
    return Reader(Addresses(experiment.pk), neutral_names(experiment.plan), redactor_of(experiment))
