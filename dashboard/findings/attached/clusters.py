"""What a Galera cluster or a group of attached servers can lose, by the settings of its nodes. The rules are those of
docs/topology.md."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dashboard.findings.attached.known import Told

APPLIED_FIRST = ("AFTER", "BEFORE_AND_AFTER")  # levels of consistency
FLUSH = "innodb_flush_log_at_trx_commit"
FLUSHED = {"1", "3"}  # at each commit; 3 is MariaDB's
UNKNOWN = "unknown"


@dataclass(frozen=True)
class TopologyStatement:
    """What a crash of several hosts can lose. `outcome`: kept, may be lost, unknown. `changes`: the settings that end
    it, as name=value."""

    crash: str
    outcome: str
    says: str
    changes: tuple[str, ...] = ()


def of_clusters(members: Mapping[int, Told]) -> Iterable[TopologyStatement]:
    """`members`: the registered servers of a topology."""
    if galera := [one for one in members.values() if one.galera]:
        yield from _galera(galera)
    if group := [one for one in members.values() if one.replication.members]:
        yield from _group(group)


def _galera(nodes: Sequence[Told]) -> Iterable[TopologyStatement]:
    flushes, size = {one.value(FLUSH) or UNKNOWN for one in nodes}, nodes[0].value("wsrep_cluster_size")
    seen = f"{FLUSH} is {', '.join(sorted(flushes))} on {len(nodes)} of {size} nodes."
    chosen = " The most advanced node must be bootstrapped."
    whole = size == str(len(nodes)) and UNKNOWN not in flushes
    one_lost = "Every node has received each acknowledged commit. The others go on if they are the majority."
    yield TopologyStatement("host of one Galera node lost", _if_several(size), one_lost)
    killed = "may be lost" if "0" in flushes else "kept" if whole else UNKNOWN
    yield TopologyStatement("all Galera nodes are killed", killed, seen + (chosen if killed == "kept" else ""))
    power = "may be lost" if flushes - FLUSHED - {UNKNOWN} else "kept" if whole else UNKNOWN
    yield TopologyStatement("all Galera nodes lose power", power, seen + (chosen if power == "kept" else ""))


def _group(members: Sequence[Told]) -> Iterable[TopologyStatement]:
    size = len(members[0].replication.members or ())
    received = "A majority has received each acknowledged commit, and the others elect a new primary."
    yield TopologyStatement("host of one member lost", _if_several(str(size)), received)
    durable = [one for one in members if (one.value(FLUSH), one.value("sync_binlog")) == ("1", "1")]
    seen = f"{len(durable)} of {size} members flush at each commit (1/1)."
    power = "may be lost" if len(durable) < len(members) else "kept" if len(durable) == size else UNKNOWN
    chosen = " The member with the most GTIDs must be bootstrapped." if power == "kept" else ""
    yield TopologyStatement("all members lose power", power, seen + chosen)
    yield _disk_gone({one.value("group_replication_consistency") for one in members}, power, seen)


def _if_several(size: str) -> str:
    return "kept" if size not in ("", "0", "1") else UNKNOWN


def _disk_gone(levels: set[str], power: str, seen: str) -> TopologyStatement:
    crash = "all members lose power, and the primary's disk does not come back"
    level = f"group_replication_consistency={', '.join(sorted(levels))}"
    if levels <= set(APPLIED_FIRST):
        says = f"The other members had applied each commit before it was acknowledged ({level}). {seen}"
        return TopologyStatement(crash, power, says)
    if "" in levels:
        return TopologyStatement(crash, UNKNOWN, "group_replication_consistency could not be read.")
    says = f"The other members acknowledge a commit when it is in their memory ({level})."
    return TopologyStatement(crash, "may be lost", says)
