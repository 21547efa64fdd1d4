"""Speed against risk: throughput against acknowledged transactions lost per crash, a point per setting."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from dashboard.charts.chart import Chart, ChartSeries, Dot, Row, described
from dashboard.findings.crash.losses import lost_whole_load
from dashboard.findings.crash.missing import BINLOG
from dashboard.findings.crash.missing import lost_from as from_where
from dashboard.findings.crash.rate import Rate
from dashboard.findings.crash.self_test import self_test
from dashboard.findings.crash.settings import CrashSetting
from dashboard.findings.crash.statistics import CrashLoss, Tally
from dashboard.findings.crash.trials import WITH_REPLICA, Replica, Tried, engine_in
from dashboard.findings.grouped import grouped
from dashboard.findings.point import Point
from dashboard.records.experiments.kind_names import number_of, singular, title
from dashboard.text.numbers import at
from dashboard.text.words import listed
from workers.bench.trial_kinds import TWIN_IN_A_TOPOLOGY
from workers.crash.kinds import CRASH_KINDS
from workers.topology.topology import Topology

# After these a topology goes on with its other nodes.
ONE_NODE = {*TWIN_IN_A_TOPOLOGY, *TWIN_IN_A_TOPOLOGY.values(), "primary-host-loss"}
MOST_LINEAR = 20  # fastest over slowest setting, up to which the axis of speeds is linear


@dataclass(frozen=True)
class RiskDot(Dot):
    """`x` is the median of the trials that lost commits; `x_lo` and `x_hi` the smallest and largest of any trial."""

    x_lo: float = 0
    x_hi: float = 0

    def payload(self) -> dict[str, object]:
        return {**super().payload(), "x_lo": self.x_lo, "x_hi": self.x_hi}


@dataclass(frozen=True)
class RiskSeries(ChartSeries):
    """`replica` "": no setting of this chart was tried with a replica. `nodes` "": all are of one server, so that
    durability is by its disk."""

    replica: Replica | Literal[""] = ""
    mine: bool = False
    nodes: Literal["", "one", "several"] = ""

    def payload(self) -> dict[str, object]:
        nodes = {"nodes": self.nodes} if self.nodes else {}
        return {**super().payload(), "replica": self.replica, "mine": self.mine, **nodes}


@dataclass(frozen=True)
class DrawnSetting:
    """A setting whose speed and loss are known."""

    setting: CrashSetting
    speed: Point
    loss: CrashLoss


def risk(
    settings: Sequence[CrashSetting],
    trials: Sequence[Tried],
    kind: str,
    lost_from: str,
    counts: str,
    threads: int,
    topologies: Mapping[str, Topology],
) -> Chart:
    """`counts`: the unit of the throughput. `topologies`: by variant."""
    crash, engine = title(kind), engine_in(trials)
    known = (DrawnSetting(one, one.speed, one.loss) for one in settings if one.speed and one.loss)
    drawn = sorted(known, key=lambda one: (one.loss.median, one.speed.tps))
    variants = {one.setting.place.variant for one in drawn}
    topologies = {variant: one for variant, one in topologies.items() if variant in variants}
    empty = _empty(settings, trials, crash) if not drawn or self_test(trials).failed else ""
    tried = any(one.setting.tally.replica != "not tried" for one in drawn)
    chart = described(
        "risk",
        map(_row, settings),
        () if empty else [_series(one, tried, topologies) for one in drawn],
        empty=empty,
        source=_source(kind) if drawn else "",
        crash=crash,
        at=f", {at(threads)}" if threads else "",
        each=singular(kind),
        place="" if lost_from == "either" else f" from {from_where(lost_from, engine)}",
        counted=_counted(kind, engine) if lost_from == "either" else "",
        counts=counts,
        whole=_whole(drawn, lost_from),
        network=_network([one.setting for one in drawn], kind, topologies),
        absent=_absent(settings),
    )
    return replace(chart, y=replace(chart.y, scale=_scale([one.speed.tps for one in drawn])))


def _whole(drawn: Sequence[DrawnSetting], lost_from: str) -> str:
    """Their place on the axis is the length of their load."""
    shares = grouped((lost_whole_load(one.setting.tally, lost_from), one.setting.name) for one in drawn)
    return "".join(f"{listed(names)} lost {share}. " for share, names in shares.items() if share)


def _source(kind: str) -> str:
    """Speed and losses may come from different disks."""
    crash = CRASH_KINDS.get(kind)
    return f"sysbench; crash trials{' on a simulated disk' if crash and crash.needs_disk else ''}"


def _counted(kind: str, engine: str) -> str:
    places = f"{engine}, {BINLOG} or the replica" if kind in WITH_REPLICA else f"{engine} or {BINLOG}"
    return f"Lost: from {places}, whichever lost more. "


def _scale(speeds: Sequence[float]) -> Literal["log", "linear"]:
    """On a linear axis the slowest of very different speeds would all lie at zero."""
    positive = [each for each in speeds if each > 0]
    return "log" if positive and max(positive) > MOST_LINEAR * min(positive) else "linear"


def _series(one: DrawnSetting, with_replicas: bool, topologies: Mapping[str, Topology]) -> RiskSeries:
    """`topologies`: of all drawn settings. Beside those of several nodes each says whether it is one of them."""
    setting, speed, loss = one.setting, one.speed, one.loss
    topology = topologies.get(setting.place.variant)
    trip = f"; round trip {topology.rtt_ms or 0:g} ms" if topology else ""
    dot = RiskDot(
        x=loss.median, y=speed.tps, lo=speed.lo, hi=speed.hi, mark=f"{_mark(setting.tally, loss.rate)}{trip}",
        x_lo=loss.least, x_hi=loss.most,
    )  # fmt: skip
    return RiskSeries(
        name=setting.name,
        colour=setting.place.colour,
        dots=(dot,),
        replica=setting.tally.replica if with_replicas else "",
        mine=setting.mine,
        nodes="several" if topology else "one" if topologies else "",
    )


def _mark(tally: Tally, lost: Rate) -> str:
    """`lost commits in 3 of 4 power losses`. Trials that failed without a lost commit are added, because the place of
    the point does not show them."""
    crashes, otherwise = number_of(tally.kind, lost.n), tally.invalid.k - lost.k
    mark = f"lost commits in {lost.k:,} of {crashes}" if lost.k else f"lost nothing in {crashes}"
    return f"{mark}; {otherwise} failed in another way" if otherwise > 0 else mark


def _row(one: CrashSetting) -> Row:
    point, tally, loss, binlog = one.speed, one.tally, one.loss, one.tally.loss("binlog")
    lost = (loss.median, loss.most, loss.median_ms, loss.most_ms) if loss else (None,) * 4
    speed = (point.tps, point.lo, point.hi) if point else (None,) * 3
    rate = tally.invalid
    return (
        one.name, *speed, rate.n, rate.k if rate.n else None, rate.lo, rate.hi, tally.unknown,
        *lost, binlog.median if binlog else None, _replicas(one), "yes" if one.mine else "",
    )  # fmt: skip


def _replicas(one: CrashSetting) -> str:
    counts = [f"{state} {count}" for state, count in one.tally.replicas.items() if state != "not tried"]
    return ", ".join(counts) or "not tried"


def _empty(settings: Sequence[CrashSetting], trials: Sequence[Tried], crash: str) -> str:
    found = self_test(trials)
    if found.failed:
        return found.says
    if not any(one.speed for one in settings):
        return "No throughput was measured in this experiment, so speed and risk cannot be compared."
    if any(one.tally.decided for one in settings):
        return f"No commits are counted in {crash}, so speed and risk cannot be compared."
    return f"No {crash} has a verdict yet."


def _absent(settings: Sequence[CrashSetting]) -> str:
    missing = [one for one in settings if not (one.speed and one.loss)]
    untried = [one.name for one in missing if one.speed and not one.tally.trials]
    others = [one.name for one in missing if one.name not in untried]
    reasons = (("they were not tried with this crash", untried), ("speed or loss was not measured", others))
    return "".join(f" Not drawn, because {why}: {', '.join(names)}." for why, names in reasons if names)


def _network(drawn: Sequence[CrashSetting], kind: str, topologies: Mapping[str, Topology]) -> str:
    """What a reader must know to compare durability by disk with durability by replication."""
    known = {one.name: topologies[one.place.variant] for one in drawn if one.place.variant in topologies}
    if not known:
        return ""
    trips = sorted({topology.rtt_ms or 0.0 for topology in known.values()})
    between = " and ".join(f"{each:g} ms" for each in trips)
    alone = "" if len(known) == len(drawn) else " The other settings are one server, which starts again."
    one_node = ", only the primary is struck, and another node takes over" if kind in ONE_NODE else ""
    return (
        f" {', '.join(known)}: several nodes, round trip {between}{one_node}.{alone} Durability by disk costs flushes, "
        "durability by replication a round trip for each commit. Replication keeps what another node has received, as "
        "long as that node runs. When all nodes lose power, only flushed commits are left (crash: total power loss)."
    )
