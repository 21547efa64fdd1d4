"""The verdicts of the newest crash trials of each server: a badge per setting, for the crash kind with the worst
result and for recorded loads.

The database counts, because an experiment may have thousands of trials. Rates and self-test are those of the result
page.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Case, Count, Q, Value, When

from dashboard.findings.crash.rate import Rate, RateState, rate
from dashboard.findings.crash.self_test import self_test
from dashboard.findings.crash.trials import controls_of
from dashboard.findings.grouped import grouped
from dashboard.records.experiments.crash_progress import LOST
from dashboard.records.experiments.kind_names import FIRST, ORDER, RECORDED
from dashboard.records.experiments.models import DECIDED, Experiment, Trial

WORST: tuple[RateState, ...] = ("failed", "unknown", "passed")
MOST_BADGES = 4


@dataclass(frozen=True)
class CrashRate:
    """A setting under one crash kind. `lost`: invalid trials that lost commits; `read`: those that lost only commits
    that others had read; `unknown`: trials that ended without a
    verdict. `beside`: the same setting under recorded loads; of recorded loads: under the worst other kind."""

    variant: str
    kind: str
    invalid: Rate
    lost: int
    read: int
    unknown: int
    beside: "CrashRate | None" = None

    @property
    def state(self) -> RateState:
        return self.invalid.state(self.unknown)

    @property
    def look(self) -> str:
        return self.invalid.look(self.unknown)

    @property
    def outcome(self) -> str:
        return self.invalid.outcome(self.kind, self.lost, self.read, self.unknown)

    @property
    def says(self) -> str:
        return f"{self.variant}: {self.outcome}"

    @property
    def severity(self) -> tuple[int, float, bool, int]:
        """The worst sorts first; of equal ones power loss, as on the result page, then the more severe crash kind."""
        share = self.invalid.k / self.invalid.n if self.invalid.n else 0.0
        severe = ORDER.index(self.kind) if self.kind in ORDER else 0
        return WORST.index(self.state), -share, self.kind != FIRST, -severe


@dataclass(frozen=True)
class ServerVerdict:
    """The settings of one server, worst first. `experiment`: its name, because a sandbox may have been tried with
    another build than its own. `distrusted`: why no verdict counts, "" otherwise."""

    experiment_id: int
    experiment: str
    settings: tuple[CrashRate, ...]
    distrusted: str = ""
    started_at: datetime | None = None

    @property
    def badges(self) -> tuple[CrashRate, ...]:
        return self.settings[:MOST_BADGES]

    @property
    def has_recorded(self) -> bool:
        return any(one.beside or one.kind == RECORDED for one in self.badges)

    @property
    def more(self) -> int:
        return len(self.settings) - len(self.badges)


def verdicts(newest: Mapping[int, int]) -> dict[int, ServerVerdict]:
    """Server id -> verdict. `newest`: server id -> the newest experiment that crashed it."""
    found = _of_servers(newest)
    experiments = Experiment.objects.only("name", "started_at").in_bulk(set(newest.values()))
    distrusted = _distrusted(newest)
    return {
        server_id: ServerVerdict(
            newest[server_id],
            experiments[newest[server_id]].name,
            tuple(sorted(_worst(tried), key=lambda one: one.severity)),
            distrusted.get(newest[server_id], ""),
            experiments[newest[server_id]].started_at,
        )
        for server_id, tried in found.items()
    }


def counted(newest: Mapping[int, int]) -> dict[int, list[CrashRate]]:
    """Server id -> rates of all settings and crash kinds, where the self-test of the checks did not fail."""
    distrusted = _distrusted(newest) if newest else {}
    return _of_servers({pk: last for pk, last in newest.items() if last not in distrusted})


def _of_servers(newest: Mapping[int, int]) -> dict[int, list[CrashRate]]:
    places = set(newest.items())
    return grouped((place[0], tried) for place, tried in _counted(newest) if place in places)


def _distrusted(newest: Mapping[int, int]) -> dict[int, str]:
    """Experiment id -> why its verdicts do not count."""
    controls = controls_of(newest.values())
    return {pk: checked.says for pk, trials in controls.items() if (checked := self_test(trials)).failed}


def _counted(newest: Mapping[int, int]) -> Iterable[tuple[tuple[int, int], CrashRate]]:
    """((server, experiment), rate of one setting and crash kind), without controls."""
    ended = Trial.objects.of_the_plan().ended().without_controls().filter(experiment__in=set(newest.values()))
    known, invalid = Q(verdict__in=DECIDED), Q(verdict=Trial.Verdict.INVALID)
    lost = Case(When(LOST, then=Value(True)), default=Value(False))  # unknown counts as not lost
    rows = (
        ended.order_by()
        .alias(hit=lost)
        .values_list("server_id", "experiment_id", "variant", "kind")
        .annotate(
            n=Count("pk", filter=known),
            k=Count("pk", filter=invalid),
            lost=Count("pk", filter=invalid & Q(hit=True)),
            read=Count("pk", filter=invalid & Q(hit=False, phantoms__gt=0)),
            of=Count("pk"),
        )
    )
    for server_id, experiment_id, variant, kind, n, k, lost, read, of in rows:
        yield (server_id, experiment_id), CrashRate(variant, kind, rate(k, n, of - n), lost, read, of - n)


def _worst(tried: Iterable[CrashRate]) -> Iterable[CrashRate]:
    """For each setting the crash kind with the worst result. Recorded loads stand beside other crashes, or these beside
    them."""
    for same in grouped((one.variant, one) for one in tried).values():
        worst = min(same, key=lambda each: each.severity)
        beside = [one for one in same if (one.kind == RECORDED) != (worst.kind == RECORDED)]
        yield replace(worst, beside=min(beside, key=lambda each: each.severity, default=None))
