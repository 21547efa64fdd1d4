"""Files and log lines of Galera.

Nodes that were killed together find each other again by gvwstate.dat, the view of the cluster that each of them has
last seen (https://galeracluster.com/library/documentation/pc-recovery.html). Nodes from copies of one image get such a
file, all with the same view: they become a cluster without a state transfer. grastate.dat says which node may be the
first of a new cluster.
"""

import re
from collections.abc import Iterable
from uuid import uuid1

from workers.topology.kinds.cluster.membership import Position

VIEW, STATE, CACHE = "gvwstate.dat", "grastate.dat", "galera.cache"
RECOVERED = re.compile(r"WSREP: Recovered position: ?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):(-?\d{1,18})")
NOWHERE = Position(-1, "00000000-0000-0000-0000-000000000000:-1")


def views(nodes: int) -> tuple[str, ...]:
    """gvwstate.dat of each node."""
    names = sorted(str(uuid1(node=number)) for number in range(1, nodes + 1))
    members = "".join(f"member: {name} 0\n" for name in names)
    view = f"#vwbeg\nview_id: 3 {names[0]} 1\nbootstrap: 0\n{members}#vwend\n"
    return tuple(f"my_uuid: {name}\n{view}" for name in names)


def first_of_a_cluster(position: Position) -> str:
    """grastate.dat of a node that somebody chose: it may bootstrap."""
    uuid = position.text.partition(":")[0]
    return f"# GALERA saved state\nversion: 2.1\nuuid:    {uuid}\nseqno:   -1\nsafe_to_bootstrap: 1\n"


def recovered(lines: Iterable[str]) -> Position:
    """The last one that the server's log names. The log is the server's: only a well-formed position counts."""
    found = [match for line in lines if (match := RECOVERED.search(line))]
    return Position(int(found[-1][2]), f"{found[-1][1]}:{found[-1][2]}") if found else NOWHERE
