"""A failover drawn over one time axis: what each node did, and which acknowledged commits it holds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dashboard.charts.bars import HEIGHT, WIDTH, Bar, Rectangle, parts
from dashboard.text.numbers import duration
from workers.topology.faults import Fault
from workers.topology.policy import MOST_REPLICAS
from workers.topology.setup_and_result import FailoverStory
from workers.topology.topology import CLUSTERS, Topology

HEIGHTS = {"serves": 20, "after": 20, "follows": 6, "away": 0}  # readable without colour
JUST_AFTER_S = 0.2  # answers that were on their way
RETURNS = {
    "caught up": "later: follows",
    "stopped": "later: refuses to follow",
    "unknown": "later: came back; whether it follows is unclear",
}
KINDS = {"async": "asynchronous", "semi-sync": "semi-synchronous"}


@dataclass(frozen=True)
class NodeLane:
    """`link`: how commits come to it. `events`: what happened to it, with the second since the load began. `holds`: its
    acknowledged commits to scale; not known: it could not be read."""

    name: str
    role: str
    link: str
    life: tuple[Rectangle, ...]
    events: tuple[str, ...]
    holds: Bar


@dataclass(frozen=True)
class Moments:
    """Seconds since the load began. `fault`; `writable`: the first commit of the new primary, None: none; `end`: of the
    clients; `resumed`: the first commit of the old primary after the fault, None: none."""

    fault: float
    writable: float | None
    end: float
    resumed: float | None = None

    def x(self, at_s: float) -> float:
        return round(min(max(at_s / self.end, 0), 1) * WIDTH, 1)


def moments(story: FailoverStory, fault_at_s: float) -> Moments:
    end = max(len(story.per_100_ms), len(story.after_per_100_ms), 1) / 10
    first = next((n / 10 for n, count in enumerate(story.after_per_100_ms) if count), None)
    writable = min(fault_at_s + story.outage.total_s, end) if story.outage else first
    later = (n / 10 for n, count in enumerate(story.per_100_ms) if count and n / 10 > fault_at_s + JUST_AFTER_S)
    return Moments(fault_at_s, writable, end, next(later, None))


def lanes(topology: Topology, fault: Fault, story: FailoverStory, at: Moments, acknowledged: int) -> list[NodeLane]:
    """One for each node of the topology, the old primary first."""
    old, *others = _names(topology)
    extra = max(0, (story.ghosts or 0) - (story.ghosts_acknowledged or 0))
    scale = max(acknowledged + extra, 1)
    return [
        NodeLane(
            name=name,
            role=_role(name, old, fault, story.promoted),
            link="" if name == old else _link(topology, old),
            life=tuple(_life(number, name, topology, fault, story.promoted, at)),
            events=tuple(_events(number, name, fault, story, at)),
            holds=_holds(name, story.holds, acknowledged, extra if name == old else 0, scale),
        )
        for number, name in enumerate((old, *others))
    ]


def _names(topology: Topology) -> list[str]:
    """As the trial names them."""
    if topology.kind in CLUSTERS:
        return [f"node {number}" for number in range(1, topology.replicas + 2)]
    return ["primary", *(f"replica {number}" for number in range(1, topology.replicas + 1))]


def _role(name: str, old: str, fault: Fault, promoted: str) -> str:
    if fault.spares_primary:
        return ""
    if name == old:
        return "primary before and after" if name == promoted else "old primary"
    return "new primary" if name == promoted else ""


def _link(topology: Topology, old: str) -> str:
    if topology.kind in CLUSTERS:
        return f"in one cluster with {old}"
    point = f", {topology.wait_point}" if topology.kind == "semi-sync" else ""
    trip = f", round trip {duration(topology.rtt_ms / 1000)}" if topology.rtt_ms else ""
    return f"\N{LEFTWARDS ARROW} {old}: {KINDS.get(topology.kind, topology.kind)}{point}{trip}"


def _is_down(number: int, fault: Fault, fenced: bool) -> bool:
    """From the fault on: struck by it, stopped in order, or shut off from its clients, who reach a primary that is only
    parted from the others."""
    if number:
        return fault.strikes(number)
    stands_still = fault.ends(0) or (fault.pauses and fault.strikes(0))
    return stands_still or (not fault.spares_primary and (fault.harmless or fenced))


def _life(number: int, name: str, topology: Topology, fault: Fault, promoted: str, at: Moments) -> Iterable[Rectangle]:
    before = "serves" if number == 0 or topology.writers == "each" else "follows"
    if number == 0 and fault.pauses and fault.strikes(0) and at.resumed is not None:
        yield from (_segment(at, before, 0, at.fault), _segment(at, before, at.resumed, at.end))
        return
    goes_on = number == 0 and name == promoted and not fault.primary_down
    down = _is_down(number, fault, topology.policy.fence) and not goes_on
    takes_over = at.writable if name == promoted and not goes_on else None
    yield _segment(at, before, 0, at.fault)
    yield _segment(at, "away" if down else before, at.fault, at.end if takes_over is None else takes_over)
    if takes_over is not None:
        yield _segment(at, "after", takes_over, at.end)


def _segment(at: Moments, look: str, begin: float, end: float) -> Rectangle:
    high = HEIGHTS[look]
    return Rectangle(look, at.x(begin), (HEIGHT - high) / 2, round(at.x(end) - at.x(begin), 1), high)


def _events(number: int, name: str, fault: Fault, story: FailoverStory, at: Moments) -> Iterable[str]:
    struck = duration(at.fault)
    if fault.strikes(number) or (number == 0 and not any(map(fault.strikes, range(MOST_REPLICAS + 1)))):
        yield f"{struck}: {fault.title[0].lower()}{fault.title[1:]}"
    if name == story.promoted and at.writable is not None:
        yield f"{duration(at.writable)}: first commit as new primary"
    if number == fault.judged and story.rejoin:
        yield RETURNS[story.rejoin.state]


def _holds(name: str, known: Mapping[str, int], acknowledged: int, extra: int, scale: float) -> Bar:
    if name not in known:
        return Bar(name, "", (), known=False)
    kept = known[name]
    row = [
        ("kept", "acknowledged", kept),
        ("lost", "missing", acknowledged - kept),
        ("extra", "not acknowledged", extra),
    ]
    return Bar(name, "", tuple(parts(row, scale)))
