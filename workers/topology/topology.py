"""A topology: a primary, its replicas, the replication between them and the network that joins them. Notation:

async                                       one replica beside the primary, without delay
semi-sync+rtt=20ms                          a round trip of 20 ms between primary and replica
semi-sync+wait=AFTER_COMMIT+timeout=500ms   semi-synchronous replication, with its settings
semi-sync+replicas=2+acks=2                 two replicas; both must acknowledge
async+policy=stop-first                     the failover follows this policy; several are combined
semi-sync+behind                            the replicas receive and do not apply until the failover
async+replica.sync_binlog=0                 a setting of the replicas
galera+replica1.sync_binlog=0               a setting of the first replica; of a cluster: of its second node
semi-sync+replicas=2+first-rtt=200ms         the first replica is further away than the second
async+build=mysql-9.7                       the replicas, or the other nodes of a cluster, have another build
semi-sync+updates=locking                   clients also read rows and update them
async+position=file+keyless                 the replica keeps its position in a file; tables have no primary key
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from workers.errors import SandboxError
from workers.topology.policy import CAREFUL, MOST_REPLICAS, POLICIES, FailoverPolicy, combined

Role = Literal["primary", "replica"]
Updates = Literal["", "locking", "plain", "snapshot", "causal"]

CLUSTERS = ("galera", "group-replication")
ONE_SERVER, REPLICAS = "one server", "replicas"  # families, beside each kind of cluster
MOST_RTT_MS = 1000.0
POSITIONS = ("gtid", "file", "table")
OWN = re.compile(r"replica(\d?)\.(\w+)")  # a setting of all replicas, or of one
WRITERS = ("first", "each")
CONSISTENCY = ("EVENTUAL", "BEFORE_ON_PRIMARY_FAILOVER", "BEFORE", "AFTER", "BEFORE_AND_AFTER")
WAIT_POINTS = ("AFTER_SYNC", "AFTER_COMMIT")
TIME = re.compile(r"(\d+(?:\.\d+)?)(us|ms|s)")
UNIT_MS = {"us": 0.001, "ms": 1.0, "s": 1000.0}
HOW = "Write for example semi-sync+rtt=20ms+replicas=2."


@dataclass(frozen=True)
class Topology:
    """`kind`: a key of workers.topology.kinds.TOPOLOGY_KINDS. `rtt_ms`: round trip between primary and replicas, or
    between any two nodes of a cluster; None: the replicas of a load have no wire. `first_rtt_ms`: that to the first
    replica; None: the same.

    Semi-synchronous replication: the primary answers when `acknowledgements` replicas have received the commit, before
    (AFTER_SYNC) or after (AFTER_COMMIT) it commits itself; after `timeout_ms` without an acknowledgement it goes on
    asynchronously. `replica_settings` win over the settings of the primary, and those of `one_replica`, by the number
    of the replica, over both. `replica_build`: "": that of the primary.
    `applying`: False: the replicas receive and do not apply until the failover. `position`: where they keep their
    position in the primary's binlog (workers.topology.kinds.following.position). `keys`: whether
    the tables have primary keys. `updates`: how further clients read the rows that they update (workers.topology.
    updates); "": nobody updates rows. `both_halves`: the replica's half of semi-synchronous replication is on at the
    primary, too.

    Clusters: `replicas` counts the nodes beside the first, by default two; replica 1 is the second node. `writers`:
    clients commit on the first node or on each one. Group Replication: `consistency`; `expel_timeout_s`: from the
    suspicion that a member is gone until the others expel it; `single_leader`: only the primary proposes messages.
    """

    kind: str = "async"
    replicas: int = 1
    rtt_ms: float | None = None
    first_rtt_ms: float | None = None
    wait_point: str = WAIT_POINTS[0]
    acknowledgements: int = 1
    timeout_ms: float = 10_000.0
    policy_key: str = CAREFUL  # several are joined by +
    replica_settings: Mapping[str, str] = field(default_factory=dict)
    applying: bool = True
    position: str = POSITIONS[0]
    keys: bool = True
    both_halves: bool = False
    writers: str = WRITERS[0]
    consistency: str = CONSISTENCY[0]
    expel_timeout_s: int = 5
    single_leader: bool = False
    replica_build: str = ""
    updates: Updates = ""
    one_replica: Mapping[int, Mapping[str, str]] = field(default_factory=dict)

    def settings_of(self, replica: int) -> Mapping[str, str]:
        """Those that replica 1, 2, ... has beside the settings of the primary; 0 is the primary."""
        return {**self.replica_settings, **self.one_replica.get(replica, {})} if replica else {}

    @property
    def settings_of_each(self) -> tuple[Mapping[str, str], ...]:
        """Of replica 1, 2, ..."""
        return tuple(self.settings_of(number) for number in range(1, self.replicas + 1))

    @property
    def one_way_ms(self) -> float:
        return (self.rtt_ms or 0) / 2

    @property
    def has_wires(self) -> bool:
        """Also at 0 ms: rates behind a wire are compared with rates behind a wire."""
        return self.rtt_ms is not None or self.first_rtt_ms is not None

    def one_way_ms_to(self, replica: int) -> float:
        """From the primary to replica 1, 2, ..."""
        return self.one_way_ms if self.first_rtt_ms is None or replica > 1 else self.first_rtt_ms / 2

    @property
    def policy(self) -> FailoverPolicy:
        return combined(self.policy_key.split("+"))


def family(notation: str) -> str:
    """Topologies that are formed, fail over and are checked in the same way have the same controls. "": one server."""
    kind = notation.partition("+")[0]
    return kind if kind in CLUSTERS else REPLICAS if kind else ONE_SERVER


def parse(text: str) -> Topology:
    """The topology of this notation; its kind is not checked. Raises SandboxError."""
    kind, *parts = text.split("+")
    topology = Topology(kind, replicas=2 if kind in CLUSTERS else 1)
    names = [part.partition("=")[0] for part in parts if not part.startswith("policy=")]
    if twice := [name for name in names if names.count(name) > 1]:
        raise SandboxError(f"Topology {text[:80]!r}: {twice[0][:40]} is given twice.", "Write it once.")
    for part in parts:
        topology = _with(topology, part, text)
    return topology


def _with(topology: Topology, part: str, text: str) -> Topology:
    name, _, value = part.partition("=")
    if value and (own := OWN.fullmatch(name)):
        return _with_own(topology, own[1], own[2], value)
    if part in FLAGS:
        return FLAGS[part](topology)
    if name not in PARTS:
        known = ", ".join((*PARTS, *FLAGS, "replica.NAME", "replica1.NAME"))
        raise SandboxError(f"Topology {text[:80]!r}: {part[:40]!r} is not known.", f"Known: {known}. {HOW}")
    try:
        return PARTS[name](topology, value)
    except ValueError as wrong:
        raise SandboxError(f"Topology {text[:80]!r}: {part[:40]!r} is not possible: {wrong}.", HOW) from wrong


def _with_own(topology: Topology, number: str, name: str, value: str) -> Topology:
    if not number:
        return replace(topology, replica_settings={**topology.replica_settings, name: value})
    one = {**topology.one_replica.get(int(number), {}), name: value}
    return replace(topology, one_replica={**topology.one_replica, int(number): one})


def _ms(value: str) -> float:
    if not (found := TIME.fullmatch(value)):
        raise ValueError("write a number and us, ms or s")
    return float(found[1]) * UNIT_MS[found[2]]


def _whole_seconds(value: str) -> int:
    if (ms := _ms(value)) % 1000:
        raise ValueError("write whole seconds, such as 5s")
    return int(ms) // 1000


def _rtt_ms(value: str) -> float:
    if (ms := _ms(value)) > MOST_RTT_MS:
        raise ValueError(f"at most {MOST_RTT_MS:g} ms")
    return ms


def _count(value: str) -> int:
    if not value.isdecimal() or not 1 <= int(value) <= MOST_REPLICAS:
        raise ValueError(f"1 to {MOST_REPLICAS}")
    return int(value)


def _name(value: str) -> str:
    if not value:
        raise ValueError("name a build")
    return value


def _one_of(known: Iterable[str], value: str) -> str:
    if value not in known:
        raise ValueError(f"known: {', '.join(known)}")
    return value


def _updates(value: str) -> Updates:
    known: dict[str, Updates] = {one: one for one in get_args(Updates) if one}
    return known[_one_of(known, value)]


def _and_policy(topology: Topology, value: str) -> Topology:
    before = [] if topology.policy_key == CAREFUL else topology.policy_key.split("+")
    keys = [*before, _one_of(POLICIES, value)]
    combined(keys)
    return replace(topology, policy_key="+".join(keys))


FLAGS: dict[str, Callable[[Topology], Topology]] = {
    "behind": lambda topology: replace(topology, applying=False),
    "keyless": lambda topology: replace(topology, keys=False),
    "both-halves": lambda topology: replace(topology, both_halves=True),
    "single-leader": lambda topology: replace(topology, single_leader=True),
}
PARTS: dict[str, Callable[[Topology, str], Topology]] = {
    "rtt": lambda topology, value: replace(topology, rtt_ms=_rtt_ms(value)),
    "first-rtt": lambda topology, value: replace(topology, first_rtt_ms=_rtt_ms(value)),
    "replicas": lambda topology, value: replace(topology, replicas=_count(value)),
    "wait": lambda topology, value: replace(topology, wait_point=_one_of(WAIT_POINTS, value)),
    "acks": lambda topology, value: replace(topology, acknowledgements=_count(value)),
    "timeout": lambda topology, value: replace(topology, timeout_ms=_ms(value)),
    "writers": lambda topology, value: replace(topology, writers=_one_of(WRITERS, value)),
    "consistency": lambda topology, value: replace(topology, consistency=_one_of(CONSISTENCY, value)),
    "expel": lambda topology, value: replace(topology, expel_timeout_s=_whole_seconds(value)),
    "build": lambda topology, value: replace(topology, replica_build=_name(value)),
    "position": lambda topology, value: replace(topology, position=_one_of(POSITIONS, value)),
    "updates": lambda topology, value: replace(topology, updates=_updates(value)),
    "policy": _and_policy,
}
