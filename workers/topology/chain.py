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

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Timer
from time import monotonic, sleep

import numpy as np

from workers.crash.digest import new_secret
from workers.crash.evidence import ReplicaSeen, Seen
from workers.crash.ledger import Ledger
from workers.crash.made import Made
from workers.crash.reconnecting import ReconnectingClient
from workers.crash.replica_link import Link
from workers.crash.setup_and_result import Timeline
from workers.crash.verdict import CheckResult, Outcome
from workers.crash.witness import Witness
from workers.topology.answers import answered, refused
from workers.topology.evidence import GtidsSeen
from workers.topology.faults import Fault, FaultScene
from workers.topology.manager import FailoverManager
from workers.topology.network.link import NodeLink
from workers.topology.network.measured import NetworkUsed
from workers.topology.network.network import Network
from workers.topology.network.wires import Wire, Wires
from workers.topology.nodes import Node, StartAll, start_all
from workers.topology.reader import CommitReader
from workers.topology.reconnected import ReconnectedClients
from workers.topology.setup_and_result import (
    FailoverResult,
    FailoverSetup,
    FailoverStory,
    Rejoin,
    SemiSyncCounters,
    UpdatesSeen,
    WriteOutage,
)
from workers.topology.stall import WriteStall, longest
from workers.topology.updates import VersionClients

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
    reconnecting: Callable[..., ReconnectingClient] = ReconnectingClient
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

    def so_far(self) -> FailoverResult:
        logs = {node.name: node.sandbox.log_text for node in self.nodes}
        if self.manager:
            logs["failover manager"] = self.manager.output
        return replace(
            super().so_far(),
            my_cnf={node.name: node.sandbox.my_cnf for node in self.nodes},
            log_lines={name: tuple(text.splitlines()[-LOG_LINES:]) for name, text in logs.items()},
        )


@dataclass(frozen=True, kw_only=True)
class FailoverLoaded(Formed):
    witness: Witness
    reader: CommitReader
    semi_sync: SemiSyncCounters | None
    after: ReconnectedClients  # the clients once their connections have ended
    versions: VersionClients | None = None  # None: nobody updates rows

    def scene(self) -> FaultScene:
        topology = self.setup.topology
        one_way_s = max(topology.one_way_ms, topology.one_way_ms_to(1)) / 1000
        return FaultScene(
            self.nodes,
            self.wires_of,
            self.hear,
            lambda: len(self.ledger().acknowledged()),
            one_way_s,
            self.timeline.step,
            self.later,
            self.setup.pause_s,
        )

    def hear(self) -> None:
        """Read the last answers of the clients of the primary, which send nothing more and then reconnect."""
        if self.versions:
            self.versions.end()
        self.witness.drain(0 if self.fault.primary_down else LAST_ANSWER_S)
        self.reader.drain()
        self.after.begin(self.witness.began)

    def clients_reach(self, *nodes: Node) -> None:
        """Clients reconnect to these nodes from now on, also where the old ones still commit on the old primary."""
        self.after.reach([node.sandbox.target for node in nodes])
        self.after.begin(self.witness.began)

    def since_load_s(self, at: float) -> float:
        """Of a moment of the monotonic clock."""
        return at - self.witness.began

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        timer = Timer(seconds, act)
        self.made.callback(timer.cancel)
        timer.start()

    def ledger(self) -> Ledger:
        return self.witness.ledger()

    def so_far(self) -> FailoverResult:
        ledger, connections = self.ledger(), self.witness.connections()
        told = (*connections, *self.after.connections())
        return replace(
            super().so_far(),
            sent=len(ledger.sent()),
            acknowledged=len(ledger.acknowledged()),
            in_doubt=sum(one.in_doubt for one in connections),
            story=FailoverStory(
                semi_sync=self.semi_sync,
                per_100_ms=_per_100_ms(ledger),
                network=self.network_used,
                answered=answered(told),
                refused=refused(told),
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
        """The network was cut before the primary was stopped, after which its clients were heard. On a busy machine
        that may take longer than the primary waits for its replicas; its counters cannot be read any more."""
        alone_s = min(self.strike_s, self.witness.drained_at_s - self.since_load_s(self.struck_at))
        return self.semi_sync is not None and 1000 * alone_s >= self.setup.topology.timeout_ms

    def so_far(self) -> FailoverResult:
        return replace(super().so_far(), fault_at_s=self.since_load_s(self.struck_at))


@dataclass(frozen=True, kw_only=True)
class Promoted(Struck):
    """`kept`: transactions of the new primary when it was promoted; None: not readable. `alone`: those of each node of
    a cluster that was down, before it joined another one; `positions`: how far it had come, in the server's notation.
    `noticed_from`, `promoted_at`: monotonic clock; from the first on, somebody could notice the fault. `detection_s`,
    `recovery_s`, `applying_s`: see WriteOutage. `problems`: why evidence is missing. `expelled`: whether a cluster went
    on without the nodes that were paused, None: none was. `kept_versions`: of each updated row on the new primary."""

    new: Node
    kept: Seen | None
    alone: Mapping[str, Seen]
    positions: Mapping[str, str]
    noticed_from: float
    promoted_at: float
    detection_s: float | None
    problems: tuple[str, ...]
    recovery_s: float | None = None
    applying_s: float | None = None
    expelled: bool | None = None
    kept_versions: Mapping[int, int] | None = None

    @property
    def updates(self) -> UpdatesSeen | None:
        return self.versions.ledger.seen(self.kept_versions) if self.versions else None

    @property
    def outage(self) -> WriteOutage | None:
        """Of the client in the middle by its length. None: clients of the old primary went on, or no client committed
        before and afterwards."""
        if self.fault.spares_primary or self._went_on:
            return None
        found = sorted(self._outages(), key=lambda one: one.total_s)
        return replace(found[len(found) // 2], least_s=found[0].total_s, most_s=found[-1].total_s) if found else None

    @property
    def stall(self) -> WriteStall | None:
        """None: another node took over, and the outage is known."""
        if not self.fault.spares_primary:
            return None
        ledger = self.ledger()
        times = ledger.told_at_s(ledger.acknowledged())
        return longest(times, self.since_load_s(self.struck_at), self.witness.drained_at_s)

    def _outages(self) -> Iterator[WriteOutage]:
        """Of each client that committed until the fault, and then again."""
        for before, connections in zip(self.witness.connections(), self.after.by_client(), strict=False):
            times = before.acknowledged_at_s
            times = times[times <= self.since_load_s(self.promoted_at)] if self.expelled else times
            ended = before.refused is not None and before.refused.at_s < self.since_load_s(self.struck_at)
            back = next((one for one in connections if len(one.acknowledged_at_s)), None)
            if len(times) and back and not ended:
                yield self._outage(float(times[-1]), back.since_s, float(back.acknowledged_at_s[0]))

    def _outage(self, last_s: float, login_s: float, first_s: float) -> WriteOutage:
        """Of one client; all in seconds since the load began."""
        writable_s = min(self.since_load_s(self.promoted_at), first_s)
        noticed_s = min(self.since_load_s(self.noticed_from) + (self.detection_s or 0.0), first_s)
        login_s = min(max(login_s, writable_s), first_s)
        total_s = first_s - last_s - self._own_s(last_s)
        return WriteOutage(
            total_s,
            None if self.detection_s is None else max(0.0, noticed_s - self.since_load_s(self.noticed_from)),
            writable_s - noticed_s,
            login_s - writable_s,
            first_s - login_s,
            self.recovery_s,
            self.applying_s,
            least_s=total_s,
            most_s=total_s,
        )

    @property
    def _went_on(self) -> bool:
        """The old primary acknowledged commits after the failover; one that was expelled does so when it wakes."""
        ledger = self.ledger()
        late = ledger.told_at_s(ledger.acknowledged()) > self.since_load_s(self.promoted_at)
        return bool(late.any()) and not self.expelled

    def _own_s(self, last_s: float) -> float:
        """The trial's own work after the last commit: a host is lost at one moment."""
        return max(0.0, self.since_load_s(self.noticed_from) - max(self.since_load_s(self.struck_at), last_s))

    def so_far(self) -> FailoverResult:
        known, ledger = super().so_far(), self.ledger()
        last_s = float(ledger.told_at_s(ledger.acknowledged()).max(initial=0.0))
        story = replace(
            known.story,
            promoted="" if self.fault.spares_primary else self.new.name,
            outage=self.outage,
            stall=self.stall,
            expelled=self.expelled,
            updates=self.updates,
            after_per_100_ms=_per_100_ms(self.after.ledger(), -self._own_s(last_s)),
        )
        return replace(known, story=story)


@dataclass(frozen=True, kw_only=True)
class Returned(Promoted):
    """`returns`: the old primary comes back under a new one. `old`: its transactions before that; None: it stays away,
    or is not readable. `stays_down`: its words when it did not start, None: not known. `rejoined`: the node that was
    down, under the present primary. `others`: the other nodes under it. `gtids`: None: not compared, or not readable.
    """

    returns: bool = False
    old: Seen | None = None
    stays_down: str | None = ""
    rejoined: ReplicaSeen | None = None
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


def _per_100_ms(ledger: Ledger, later_s: float = 0.0) -> tuple[int, ...]:
    """Acknowledged commits in each tenth of a second since the load began."""
    times = ledger.told_at_s(ledger.acknowledged()) + later_s
    return tuple(np.bincount((10 * times).astype(np.int64)).tolist()) if len(times) else ()
