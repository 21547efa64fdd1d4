"""A topology: a primary, its replicas, the replication between them and the network that joins them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

MOST_REPLICAS = 4

WaitPoint = Literal["AFTER_SYNC", "AFTER_COMMIT"]
Consistency = Literal["EVENTUAL", "BEFORE_ON_PRIMARY_FAILOVER", "BEFORE", "AFTER", "BEFORE_AND_AFTER"]
Writers = Literal["first", "each"]
Role = Literal["primary", "replica"]


@dataclass(frozen=True)
class Topology:
    """`kind`: a key of workers.topology.kinds.TOPOLOGY_KINDS. `rtt_ms`: round trip between primary and replicas.

    Semi-synchronous replication: the primary answers when `acknowledgements` replicas have received the commit, before
    (AFTER_SYNC) or after (AFTER_COMMIT) it commits itself; after `timeout_ms` without an acknowledgement it goes on
    asynchronously. `replica_settings` win over the settings of the primary. `applying`: False: the replicas receive and
    do not apply until the failover.

    Clusters: `replicas` counts the nodes beside the first. `writers`: clients commit on the first node or on each one.
    Group Replication: `consistency`; `expel_timeout_s`: from the suspicion that a member is gone until the others
    expel it.
    """

    kind: str = "async"
    replicas: int = 1
    rtt_ms: float = 0.0
    wait_point: WaitPoint = "AFTER_SYNC"
    acknowledgements: int = 1
    timeout_ms: int = 10_000
    replica_settings: Mapping[str, str] = field(default_factory=dict)
    applying: bool = True
    writers: Writers = "first"
    consistency: Consistency = "EVENTUAL"
    expel_timeout_s: int = 5

    @property
    def one_way_ms(self) -> float:
        return self.rtt_ms / 2
