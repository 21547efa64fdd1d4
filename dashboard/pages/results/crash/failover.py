"""The part of a trial's page that only a failover has."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.charts.bars import WIDTH, Rectangle
from dashboard.charts.failover_lanes import Moments, NodeLane, lanes, moments
from dashboard.text.numbers import duration, ms, whole
from workers.topology.faults import FAULTS
from workers.topology.network.measured import NetworkUsed
from workers.topology.setup_and_result import (
    AnsweredByNode,
    FailoverStory,
    RefusedByNode,
    Rejoin,
    UpdatesSeen,
    WriteOutage,
)
from workers.topology.stall import WriteStall
from workers.topology.topology import Topology, parse

HEIGHT, GAP = 100, 1
NETWORKS = {
    "wire": "wires (local ports that delay)",
    "netem": "network namespaces, joined by the kernel (netem)",
    "user-space tunnel": "network namespaces, joined by a tunnel in user space",
}
EXPELLED = {True: "the other nodes went on without them", False: "no node was expelled: writes waited for them"}


@dataclass(frozen=True)
class FailoverView:
    """`takes_over`: False: a replica crashed. `fault_x`, `gap_width`: thousandths of the time axis; the gap begins at
    the fault. `highest`: acknowledged in the best 100 ms. `seconds`: begin, middle and end of the axis."""

    because: str
    facts: tuple[tuple[str, str], ...]
    lanes: tuple[NodeLane, ...]
    takes_over: bool
    bars: tuple[Rectangle, ...]
    highest: int
    fault_x: float
    gap_width: float
    gap: str
    seconds: tuple[float, ...]


def view(story: FailoverStory, fault: str, topology: str, fault_at_s: float, acknowledged: int) -> FailoverView:
    """`fault`: its key; `topology`: of the plan's variant."""
    struck = FAULTS[fault]
    tried = struck.tried_on(parse(topology or "async"))
    at = moments(story, fault_at_s)
    return FailoverView(
        because=story.because,
        facts=tuple(_facts(story, tried)),
        lanes=tuple(lanes(tried, struck, story, at, acknowledged)),
        takes_over=not struck.spares_primary,
        bars=_bars(story, at, "kept" if struck.spares_primary else "after"),
        highest=max(*story.per_100_ms, *story.after_per_100_ms, 0, 0),
        fault_x=at.x(fault_at_s),
        gap_width=round(at.x(fault_at_s + story.outage.total_s) - at.x(fault_at_s), 1) if story.outage else 0,
        gap=duration(story.outage.total_s) if story.outage else "",
        seconds=(0, at.end / 2, at.end),
    )


def sentence(acknowledged: int, lost: int, took_ms: float | None, crash: str) -> str:
    last = f" (the last {ms(took_ms)})" if took_ms is not None else ""
    return f"After this {crash} the new primary lacks {whole(lost)} of {whole(acknowledged)} acknowledged commits{last}"


def _facts(story: FailoverStory, topology: Topology) -> Sequence[tuple[str, str]]:
    facts = [
        ("Promoted", story.promoted),
        ("Writes refused for", _outage(story.outage, topology.policy.by_manager)),
        ("Longest time without an acknowledgement", _stall(story.stall)),
        ("Paused nodes", "" if story.expelled is None else EXPELLED[story.expelled]),
        ("Read, then lost", _read(story)),
        ("Only on the old primary", _ghosts(story)),
        ("GTIDs that the new primary lacks", _errant(story)),
        ("Old primary as replica" if story.promoted else "Struck replica", _rejoin(story.rejoin)),
        ("Network between the nodes", network(story.network, topology)),
    ]
    if counted := story.semi_sync:
        facts.append(("Semi-synchronous waits", f"{whole(counted.acknowledged)} ended by a replica's answer"))
        facts.append(("Without a replica's answer", whole(counted.not_acknowledged)))
    facts += [(f"Answers of {one.node}", _answered(one)) for one in story.answered]
    if updates := story.updates:
        facts.append(("Updates of shared rows", _updates(updates)))
    facts += [(f"Refused by {one.node}", _refused(one)) for one in story.refused]
    return [(name, says) for name, says in facts if says]


def network(used: NetworkUsed | None, topology: Topology) -> str:
    """ "" where nothing is known of it."""
    if used is None:
        return ""
    measured = ", ".join("unknown" if one is None else ms(one) for one in used.rtt_ms)
    asked = sorted({2 * topology.one_way_ms_to(number) for number in range(1, topology.replicas + 1)}, reverse=True)
    wanted = " and ".join(f"{one:g} ms" if one else "no delay" for one in asked)
    return f"{NETWORKS.get(used.how, used.how)}; round trip {measured} measured before the load, {wanted} asked for"


def _updates(seen: UpdatesSeen) -> str:
    missing = "unknown" if seen.missing is None else whole(seen.missing)
    lost = f"{whole(seen.overwritten)} overwritten, {missing} missing on the new primary"
    stale = f"{whole(seen.stale)} of {whole(seen.reads)} reads stale"
    return f"{whole(seen.acknowledged)} acknowledged, {whole(seen.refused)} refused; {lost}; {stale}"


def _answered(one: AnsweredByNode) -> str:
    doubt = f"{whole(one.in_doubt)} in doubt"
    if one.first_s is None or one.last_s is None:
        return f"none acknowledged, {doubt}"
    when = f"{duration(one.first_s)} to {duration(one.last_s)} after the load began"
    return f"{whole(one.acknowledged)} acknowledged, {when}; {doubt}"


def _refused(one: RefusedByNode) -> str:
    """The client knows that they failed; a commit without an answer is in doubt."""
    when = duration(one.first_s) if one.first_s == one.last_s else f"{duration(one.first_s)} to {duration(one.last_s)}"
    return f"{whole(one.count)} transaction{'' if one.count == 1 else 's'}, {when} after the load began: {one.says}"


def _commits(count: int | None) -> str:
    return "unknown" if count is None else f"{whole(count)} commit{'' if count == 1 else 's'}"


def _stall(stall: WriteStall | None) -> str:
    if stall is None:
        return ""
    return duration(stall.seconds) if stall.ended else f"at least {duration(stall.seconds)}: until the load ended"


def _read(story: FailoverStory) -> str:
    """Nothing where a replica crashed: the primary went on."""
    return f"{_commits(story.phantoms)}; the reader asked {whole(story.reads)} times" if story.promoted else ""


def _outage(outage: WriteOutage | None, by_manager: bool) -> str:
    if outage is None:
        return ""
    promotion = "until the manager had promoted" if by_manager else "for the promotion"
    parts = [
        f"{duration(took)} {what}"
        for took, what in (
            (outage.detection_s, "until the loss was noticed"),
            (outage.recovery_s, "for starting nodes again"),
            (outage.applying_s, "for applying what was received"),
            (outage.promotion_s, promotion),
            (outage.login_s, "until the client had reconnected"),
            (outage.answered_s, "for the first commit"),
        )
        if took
    ]
    others = f"({duration(outage.least_s)} to {duration(outage.most_s)} for the others)"
    total = f"{duration(outage.total_s)} for the client in the middle {others}"
    return f"{total}, of them {', '.join(parts)}{_noticed(outage, by_manager)}"


def _noticed(outage: WriteOutage, by_manager: bool) -> str:
    if outage.detection_s is not None:
        return ""
    if by_manager:
        return ". When the manager noticed the loss is not known"
    return ". The trial promotes at once: a manager also needs time to notice the loss"


def _ghosts(story: FailoverStory) -> str:
    if story.ghosts is None:
        return ""
    return f"{_commits(story.ghosts)}, of them {whole(story.ghosts_acknowledged or 0)} acknowledged"


def _errant(story: FailoverStory) -> str:
    """A server that follows by GTID never fetches or sends them."""
    if story.errant is None:
        return ""
    more = ", ..." if story.errant > len(story.errant_first) else ""
    first = f": {', '.join(story.errant_first)}{more}" if story.errant else ""
    return f"{whole(story.errant)} in the binary log of the old primary{first}"


def _rejoin(rejoin: Rejoin | None) -> str:
    if rejoin is None:
        return ""
    if rejoin.state == "stopped":
        return f"refused: {rejoin.says}"
    if rejoin.different_rows is None:
        return f"unknown: {rejoin.says}"
    if rejoin.different_rows or rejoin.doubled:
        doubled = f", {whole(rejoin.doubled)} transactions are there twice" if rejoin.doubled else ""
        return f"follows without an error; {whole(rejoin.different_rows)} rows differ{doubled}"
    return "follows with the same rows"


def _bars(story: FailoverStory, at: Moments, later: str) -> tuple[Rectangle, ...]:
    """In thousandths and hundredths. `later`: the look of the commits after the fault; kept: before it."""
    highest = max(*story.per_100_ms, *story.after_per_100_ms, 1, 1)
    wide = WIDTH / (10 * at.end)
    return tuple(
        Rectangle(
            look,
            round(n * wide, 1),
            round(HEIGHT - count / highest * HEIGHT, 1),
            round(max(wide - GAP, GAP), 1),
            round(count / highest * HEIGHT, 1),
        )
        for look, counts in (("kept", story.per_100_ms), (later, story.after_per_100_ms))
        for n, count in enumerate(counts)
        if count
    )
