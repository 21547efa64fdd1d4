"""Settings with which a server starts only if others fit to them."""

from collections.abc import Mapping

from workers.servers.pasted.options import ServerOptions
from workers.servers.settings import switch

NO_GTIDS = ("OFF", "OFF_PERMISSIVE")
ON_PERMISSIVE = "ON_PERMISSIVE"
NEEDS_A_LOG_BEFORE = (5, 7, 5)  # GTIDs without a binary log


def refused_together(server: ServerOptions, values: Mapping[str, str]) -> str:
    """Why the server does not start; "" if it does, or if one of the settings is unknown."""
    mode = values.get("gtid_mode", NO_GTIDS[0])
    if server.flavour != "mysql" or mode in NO_GTIDS or mode == ON_PERMISSIVE:
        return ""
    if switch(values.get("enforce_gtid_consistency", "ON")) == "OFF":
        return f"gtid_mode={mode} needs enforce_gtid_consistency=ON"
    no_log = "OFF" in (values.get("log_bin", "ON"), values.get("log_slave_updates", "ON"))
    return (
        f"gtid_mode={mode} needs log_bin and log_slave_updates"
        if no_log and server.version < NEEDS_A_LOG_BEFORE
        else ""
    )
