"""Crash trials of two experiments side by side: each setting and crash kind that A or B tried."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dashboard.findings.compare.pairs import partners
from dashboard.findings.crash.losses import losses, of_a_failover
from dashboard.findings.crash.rate import RateState
from dashboard.findings.crash.self_test import self_test
from dashboard.findings.crash.statistics import Tally, tallies
from dashboard.findings.crash.trials import trials_of
from dashboard.findings.lines import places
from dashboard.records.experiments.kind_names import ORDER, title
from dashboard.records.experiments.models import Experiment
from workers.bench.plan import CONTROLS

Key = tuple[int, str, str]  # server of A, variant, crash kind


@dataclass(frozen=True)
class CrashSide:
    """The result of the trials of A or of B. `state`: of its badge, "": this experiment has no such trial. `more`:
    median losses, and of failovers the write outage."""

    state: RateState | str
    says: str
    more: tuple[str, ...] = ()
    failed: bool | None = None  # whether any trial failed; None: no trial has a verdict
    unclear: int = 0


@dataclass(frozen=True)
class CrashPair:
    name: str
    kind: str
    a: CrashSide
    b: CrashSide


@dataclass(frozen=True)
class CrashPairs:
    """`distrusted`: sentences on failed self-tests; trials of such an experiment are not in `rows`."""

    rows: tuple[CrashPair, ...]
    environments: tuple[tuple[int, int], ...]  # ids of those of A and B, for each row that both tried
    distrusted: tuple[str, ...]


def crash_pairs(a: Experiment, b: Experiment, names: Mapping[int, str], clean: Callable[[str], str]) -> CrashPairs:
    """`names`: server id -> its name for this reader; `clean`: removes from a text what this reader may not see."""
    plan_a, plan_b = a.as_plan(), b.as_plan()
    partner = partners(plan_a, plan_b)
    of_a, wrong_a = _tried(a, "A", {})
    of_b, wrong_b = _tried(b, "B", partner)
    several = len(plan_a.targets) > 1 or len(plan_b.targets) > 1
    named = {
        (partner.get(one.server_id, one.server_id), one.variant): one.name
        for plan in (plan_b, plan_a)
        for one in places(plan, names, several, clean)
    }
    keys = sorted({**of_a, **of_b}, key=lambda key: (list(named).index(key[:2]), ORDER.index(key[2])))
    rows = (CrashPair(named[key[:2]], title(key[2]), _side(of_a.get(key)), _side(of_b.get(key))) for key in keys)
    where_a, where_b = _environments(a, {}), _environments(b, partner)
    both = [key for key in keys if key in where_a and key in where_b]
    return CrashPairs(tuple(rows), tuple((where_a[key], where_b[key]) for key in both), (*wrong_a, *wrong_b))


def _tried(one: Experiment, side: str, partner: Mapping[int, int]) -> tuple[dict[Key, Tally], list[str]]:
    trials = trials_of(one)
    checked = self_test(trials)
    if checked.failed:
        return {}, [f"{side}: {checked.says}"]
    found = tallies(trial for trial in trials if trial.kind not in CONTROLS)
    return {(partner.get(server, server), variant, kind): one for (server, variant, kind), one in found.items()}, []


def _environments(one: Experiment, partner: Mapping[int, int]) -> dict[Key, int]:
    """Of the first trial of each setting and crash kind."""
    found = one.trials.of_the_plan().exclude(environment=None).order_by("-position")
    rows = found.values_list("server_id", "variant", "kind", "environment_id")
    return {(partner.get(server, server), variant, kind): pk for server, variant, kind, pk in rows}


def _side(tally: Tally | None) -> CrashSide:
    if not tally:
        return CrashSide("", "not tried")
    if not tally.invalid.n and not tally.unknown:
        return CrashSide("", "not finished")
    lost = (" ".join(one).rstrip() for one in losses(tally)) if tally.invalid.k else ()
    more = (*lost, *of_a_failover(tally))
    failed = tally.invalid.k > 0 if tally.invalid.n else None
    return CrashSide(tally.invalid.look(tally.unknown), tally.outcome, more, failed, tally.unknown)
