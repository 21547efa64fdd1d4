"""What crash trials say of each server, by crash: a server of one's own by its present settings, a sandbox by all
settings that were tried."""

from collections.abc import Collection, Iterable, Mapping

from dashboard.findings.audit.subject import by_tests
from dashboard.findings.board.values import Crash, CrashVerdict
from dashboard.findings.crash.durability import spelled
from dashboard.findings.grouped import grouped
from dashboard.findings.result.comparison import is_enough
from dashboard.findings.server_verdicts import CrashRate, counted
from dashboard.records.experiments.models import Experiment
from dashboard.records.servers import queries
from workers.bench.plan import CONTROLS, Plan
from workers.topology.faults import FAULTS

# Histories and crashes of a replica say nothing of a server's own commits under load.
_FAILOVERS = [one for one in FAULTS if one not in CONTROLS and not one.startswith(("replica-", "no-fault"))]
KINDS: Mapping[str, Crash] = {
    **dict.fromkeys(("process-kill", "attached-expendable", "kill-points"), "kill"),
    **dict.fromkeys(("power-loss", "torn-power-loss", "every-crash-point"), "power"),
    **dict.fromkeys(("data-disk-power-loss", "log-disk-power-loss"), "power"),
    **dict.fromkeys(_FAILOVERS, "failover"),
}
Tested = Mapping[int, Mapping[Crash, CrashVerdict]]


def tested(newest: Mapping[int, int], sandboxes: Collection[int]) -> Tested:
    """Server id -> its crashes. `newest`: server id -> the newest experiment that crashed it."""
    rates = counted(newest)
    present = _present({pk: newest[pk] for pk in rates if pk not in sandboxes})
    found = {}
    for pk, all_rates in rates.items():
        mine = [one for one in all_rates if pk in sandboxes or (pk, one.variant) in present]
        by_crash = grouped((KINDS[one.kind], one) for one in mine if one.kind in KINDS)
        found[pk] = {crash: _verdict(of, newest[pk]) for crash, of in by_crash.items()}
    return found


def _present(newest: Mapping[int, int]) -> set[tuple[int, str]]:
    """(Server, variant): the variants with the settings that a server has now."""
    if not newest:
        return set()
    plans = dict(Experiment.objects.filter(pk__in=set(newest.values())).values_list("pk", "plan"))
    has = {one.server.pk: one.values for one in by_tests(queries.last_tests(newest)) if one.server}
    return {(pk, name) for pk, last in newest.items() for name in _names(Plan.from_dict(plans[last]), pk, has[pk])}


def _names(plan: Plan, server_id: int, has: Mapping[str, str]) -> Iterable[str]:
    before = next((one.present or {} for one in plan.targets if one.server_id == server_id), {})
    for variant in plan.variants:
        ran = {**before, **variant.settings}
        if ran and all(name in has and spelled(has[name]) == spelled(value) for name, value in ran.items()):
            yield variant.name


def _verdict(rates: Iterable[CrashRate], experiment_id: int) -> CrashVerdict:
    """One setting that lost commits decides. Trials without a verdict leave it unknown."""
    by_setting = grouped((one.variant, one) for one in rates)
    lost = [name for name, of in by_setting.items() if any(one.lost or one.read for one in of)]
    other = [name for name, of in by_setting.items() if any(one.invalid.k for one in of)]
    kept = [name for name, of in by_setting.items() if all(one.state == "passed" for one in of)]
    all_rates = [one for of in by_setting.values() for one in of]
    is_sure = all(any(is_enough(one.invalid.hi) for one in of) for of in by_setting.values())
    return CrashVerdict(
        outcome="lost" if lost else "other" if other else "kept" if len(kept) == len(by_setting) else "unknown",
        certainty="tested" if other or is_sure else "few",
        failed=sum(one.invalid.k for one in all_rates),
        n=sum(one.invalid.n for one in all_rates),
        lost_with=tuple(sorted(lost)),
        kept_with=tuple(sorted(kept)),
        experiment_id=experiment_id,
    )
