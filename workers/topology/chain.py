"""The states of a failover trial. Each is frozen and holds all values of the state before.

FailoverBegun   Nothing is made.
Formed          All nodes run and replicate: replicas follow the primary through wires, or all are one cluster.
FailoverLoaded  The clients of the primary are committing, and the moment of the fault has come.
Struck          The fault has happened. Clients of a primary that is down have read their last answer.
Promoted        A node took over by the policy, and clients commit on it.
Returned        The old primary came back and tried to follow the new one, or stays away.
FailoverJudged  Every check has its outcome, and the trial its verdict.

The result of a failed trial is `so_far()` of its last state.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Timer
from time import monotonic, sleep

import numpy as np

from workers.crash.digest import new_secret
from workers.crash.evidence import ReplicaSeen, Seen
from workers.crash.ledger import Ledger
from workers.crash.made import Made
from workers.crash.replica_link import Link
from workers.crash.setup_and_result import Timeline
from workers.crash.verdict import CheckResult, Outcome
from workers.crash.witness import Refusal, Witness
from workers.topology.evidence import GtidsSeen
from workers.topology.faults import Fault, FaultScene
from workers.topology.manager import FailoverManager
from workers.topology.network.link import NodeLink
from workers.topology.network.measured import NetworkUsed
from workers.topology.network.network import Network
from workers.topology.network.wires import Wire, Wires
from workers.topology.nodes import Node, StartAll, start_all
from workers.topology.reader import CommitReader
from workers.topology.setup_and_result import (
    FailoverResult,
    FailoverSetup,
    FailoverStory,
    RefusedByNode,
    Rejoin,
    SemiSyncCounters,
    WriteOutage,
)

LOG_LINES = 200
FIRST_GTIDS = 5
POLL_S = 0.02
LAST_ANSWER_S = 0.5  # of a server that lives


@dataclass(frozen=True)
class FailoverPorts:
    """The functions that make the parts of a trial; tests replace them."""

    start_all: StartAll = start_all
    wires: Callable[[], Wires] = Wires
    witness: Callable[..., Witness] = Witness
    reader: Callable[..., CommitReader] = CommitReader
    clock: Callable[[], float] = monotonic
    sleep: Callable[[float], None] = sleep


PORTS = FailoverPorts()


@dataclass(frozen=True, kw_only=True)
class FailoverBegun:
    setup: FailoverSetup
    fault: Fault
    ports: FailoverPorts
    made: Made
    timeline: Timeline
    secret: bytes = field(default_factory=new_secret)

    def so_far(self) -> FailoverResult:
        """The result as far as it is known."""
        return FailoverResult(steps=self.timeline.steps(), digest_key=self.secret.hex())


@dataclass(frozen=True, kw_only=True)
class Formed(FailoverBegun):
    primary: Node
    replicas: tuple[Node, ...]
    wires: tuple[Wire | NodeLink, ...]  # from each replica to the primary, in their order; none: they cannot be cut
    links: tuple[Link, ...]  # through the wires
    manager: FailoverManager | None = None
    network: Network | None = None  # of a cluster
    network_used: NetworkUsed | None = None

    @property
    def nodes(self) -> tuple[Node, ...]:
        return (self.primary, *self.replicas)

    def wires_of(self, node: int) -> Sequence[Wire | NodeLink]:
        """With all other nodes. 0 is the primary; a replica is joined to the primary only."""
        if self.network:
            return self.network.links(node)
        return self.wires[node - 1 : node] if node else self.wires

    @property
    def _logs(self) -> Mapping[str, str]:
        said = {"failover manager": self.manager.output} if self.manager else {}
        return {node.name: node.sandbox.log_text for node in self.nodes} | said

    def so_far(self) -> FailoverResult:
        return replace(
            super().so_far(),
            my_cnf={node.name: node.sandbox.my_cnf for node in self.nodes},
            log_lines={name: tuple(text.splitlines()[-LOG_LINES:]) for name, text in self._logs.items()},
        )


@dataclass(frozen=True, kw_only=True)
class FailoverLoaded(Formed):
    witness: Witness
    reader: CommitReader
    semi_sync: SemiSyncCounters | None

    def scene(self, hear: Callable[[], None]) -> FaultScene:
        topology = self.setup.topology
        one_way_s = max(topology.one_way_ms, topology.one_way_ms_to(1)) / 1000
        return FaultScene(
            self.nodes,
            self.wires_of,
            hear,
            lambda: len(self.ledger().acknowledged()),
            one_way_s,
            self.timeline.step,
            self.later,
            self.setup.pause_s,
        )

    def hear(self) -> None:
        """Read the last answers of the clients of the primary, which send nothing more."""
        self.witness.drain(0 if self.fault.primary_down else LAST_ANSWER_S)
        self.reader.drain()

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        timer = Timer(seconds, act)
        self.made.callback(timer.cancel)
        timer.start()

    def ledger(self) -> Ledger:
        return self.witness.ledger()

    def so_far(self) -> FailoverResult:
        ledger, refusals = self.ledger(), self.witness.refusals()
        return replace(
            super().so_far(),
            sent=len(ledger.sent()),
            acknowledged=len(ledger.acknowledged()),
            in_doubt=len(ledger.in_doubt()) - len(refusals),
            story=FailoverStory(
                semi_sync=self.semi_sync,
                per_100_ms=_per_100_ms(ledger),
                network=self.network_used,
                refused=_by_node(refusals, [node.name for node in self.nodes]),
            ),
        )


@dataclass(frozen=True, kw_only=True)
class Struck(FailoverLoaded):
    struck_at: float  # monotonic clock
    strike_s: float = 0.0  # how long the fault took

    @property
    def standing(self) -> tuple[Node, ...]:
        """The nodes that the fault did not strike, in order."""
        return tuple(node for number, node in enumerate(self.nodes) if not self.fault.strikes(number))

    @property
    def returning(self) -> tuple[Node, ...]:
        """The nodes whose disks come back, in order: the fault or the policy may leave some away."""
        gone = {number for number in range(len(self.nodes)) if self.fault.for_good and self.fault.strikes(number)}
        gone |= {0} if self.setup.policy.old_primary == "stays away" and not self.fault.spares_primary else set()
        return tuple(node for number, node in enumerate(self.nodes) if number not in gone)

    @property
    def hit(self) -> Node:
        return self.nodes[self.fault.judged]

    @property
    def pause_left_s(self) -> float:
        """Until the paused nodes go on; not above 0: they went on, or nothing was paused."""
        return self.struck_at + self.strike_s + self.setup.pause_s - self.ports.clock() if self.fault.pauses else 0.0

    def outlast_pause(self, more_s: float) -> None:
        """Until paused nodes have been going on for so long. Nothing without a pause."""
        while self.fault.pauses and self.pause_left_s > -more_s:
            self.timeline.must_go_on()
            self.ports.sleep(POLL_S)

    @property
    def may_have_fallen_back(self) -> bool:
        """The network was cut before the primary was stopped. On a busy machine that may take longer than the primary
        waits for its replicas; its counters cannot be read any more."""
        return self.semi_sync is not None and 1000 * self.strike_s >= self.setup.topology.timeout_ms

    def so_far(self) -> FailoverResult:
        return replace(super().so_far(), fault_at_s=self.struck_at - self.witness.began)


@dataclass(frozen=True, kw_only=True)
class Promoted(Struck):
    """`kept`: transactions of the new primary when it was promoted; None: not readable. `alone`: those of each node of
    a cluster that was down, before it joined another one; `positions`: how far it had come, in the server's notation.
    `after`: the clients that commit on the new primary. `noticed_from`, `promoted_at`: monotonic clock; from the first
    on, somebody could notice the fault. `reading_s`: how long the trial read the rows before clients logged in.
    `detection_s`, `recovery_s`, `applying_s`: see WriteOutage. `problems`: why evidence is missing. `expelled`: whether
    a cluster went on without the nodes that were paused, None: none was."""

    new: Node
    kept: Seen | None
    alone: Mapping[str, Seen]
    positions: Mapping[str, str]
    noticed_from: float
    promoted_at: float
    detection_s: float | None
    failover_s: float
    reading_s: float
    login_s: float
    after: Witness
    problems: tuple[str, ...]
    recovery_s: float | None = None
    applying_s: float | None = None
    expelled: bool | None = None

    @property
    def outage(self) -> WriteOutage | None:
        """None: clients of the old primary went on, or nothing was acknowledged before or afterwards."""
        last, first = self._last, self._first
        if self.fault.spares_primary or last is None or first is None or last > self.promoted_at:
            return None
        return WriteOutage(
            first - last - self._own_s,
            self.detection_s,
            self.failover_s,
            self.login_s,
            first - self.after.began,
            self.recovery_s,
            self.applying_s,
        )

    @property
    def _last(self) -> float | None:
        """When the old primary acknowledged its last commit (monotonic clock); before the pause, if it was expelled."""
        ledger = self.witness.ledger()
        times = ledger.acknowledged_at_s(ledger.acknowledged())
        times = times[times <= self.promoted_at - self.witness.began] if self.expelled else times
        return self.witness.began + float(times.max()) if len(times) else None

    @property
    def _first(self) -> float | None:
        """When the new primary acknowledged its first commit (monotonic clock)."""
        ledger = self.after.ledger()
        times = ledger.acknowledged_at_s(ledger.acknowledged())
        return self.after.began + float(times.min()) if len(times) else None

    @property
    def _own_s(self) -> float:
        """The trial's own work between both: a host is lost at one moment, and nobody reads rows at a failover."""
        since = max(self.struck_at, self._last or 0.0)
        return max(0.0, self.noticed_from - since) + self.reading_s

    def so_far(self) -> FailoverResult:
        known, later_s = super().so_far(), self.after.began - self.witness.began - self._own_s
        after = _per_100_ms(self.after.ledger(), later_s)
        story = replace(
            known.story,
            promoted="" if self.fault.spares_primary else self.new.name,
            outage=self.outage,
            expelled=self.expelled,
            after_per_100_ms=after,
            refused=(*known.story.refused, *_by_node(self.after.refusals(), [self.new.name], later_s)),
        )
        return replace(known, story=story)


@dataclass(frozen=True, kw_only=True)
class Returned(Promoted):
    """`returns`: the old primary comes back under a new one. `old`: its transactions before that; None: it stays away,
    or is not readable. `stays_down`: its words when it did not start. `rejoined`: the node that was down, under the
    present primary. `others`: the other nodes under it. `gtids`: None: not compared, or not readable.
    """

    returns: bool
    old: Seen | None
    stays_down: str
    rejoined: ReplicaSeen | None
    others: tuple[tuple[str, ReplicaSeen], ...]
    gtids: GtidsSeen | None = None

    def so_far(self) -> FailoverResult:
        known, back = super().so_far(), self.rejoined
        doubled = len(back.seen.twice) if back and back.seen else None
        rejoin = Rejoin(back.state, back.error, back.different_rows, doubled) if back else None
        errant = self.gtids.errant if self.gtids else None
        return replace(
            known,
            story=replace(
                known.story,
                rejoin=rejoin,
                errant=None if errant is None else len(errant),
                errant_first=(errant or ())[:FIRST_GTIDS],
            ),
        )


@dataclass(frozen=True, kw_only=True)
class FailoverJudged(Returned):
    verdict: Outcome
    checks: tuple[CheckResult, ...]
    result: FailoverResult

    def so_far(self) -> FailoverResult:
        return replace(self.result, steps=self.timeline.steps())


def _by_node(refusals: Sequence[Refusal], names: Sequence[str], later_s: float = 0.0) -> tuple[RefusedByNode, ...]:
    """The names are those of the targets of the clients."""
    found: dict[str, list[Refusal]] = {}
    for one in sorted(refusals, key=lambda one: one.at_s):
        found.setdefault(names[one.target], []).append(one)
    return tuple(
        RefusedByNode(name, len(same), same[0].at_s + later_s, same[-1].at_s + later_s, same[0].says)
        for name, same in found.items()
    )


def _per_100_ms(ledger: Ledger, later_s: float = 0.0) -> tuple[int, ...]:
    """Acknowledged commits in each tenth of a second since the load began."""
    times = ledger.acknowledged_at_s(ledger.acknowledged()) + later_s
    return tuple(np.bincount((10 * times).astype(np.int64)).tolist()) if len(times) else ()
