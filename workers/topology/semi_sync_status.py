"""What a primary counts of semi-synchronous replication."""

from collections.abc import Mapping

from workers.errors import DurascopeError
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.limited import Connection
from workers.servers.target import Target
from workers.topology.setup_and_result import SemiSyncCounters
from workers.topology.topology import Topology

STATUS = r"SHOW GLOBAL STATUS LIKE 'Rpl\_semi\_sync%'"
STARTS = ("rpl_semi_sync_master_", "rpl_semi_sync_source_")
ANSWER_S = 5.0


def semi_sync_status(primary: Connection) -> Mapping[str, str]:
    """The primary's half, without the words before: {"status": "ON", "clients": "1", "yes_tx": "88", ...}."""
    return {
        name.lower().removeprefix(start): value
        for name, value in ask.names_to_values(primary, STATUS).items()
        for start in STARTS
        if name.lower().startswith(start)
    }


def counters(topology: Topology, primary: Target) -> SemiSyncCounters | None:
    """Since the primary started. None: this topology counts nothing, or the primary does not answer."""
    if topology.kind != "semi-sync":
        return None
    try:
        with connect(primary, answer_s=ANSWER_S) as connection:
            status = semi_sync_status(connection)
    except DurascopeError:
        return None
    return SemiSyncCounters(int(status["yes_tx"]), int(status["no_tx"])) if "yes_tx" in status else None
