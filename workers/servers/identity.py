"""Which server answers at an address: after a failover it may be another one."""

from typing import NamedTuple

from workers.servers import ask
from workers.servers.limited import Connection


class ServerName(NamedTuple):
    """MySQL has a uuid, which says enough; MariaDB has none."""

    uuid: str
    server_id: str = ""
    hostname: str = ""
    port: str = ""


def server_name(connection: Connection) -> ServerName:
    """Raises ServerError."""
    names = "('server_uuid', 'server_id', 'hostname', 'port')"
    found = ask.names_to_values(connection, f"SHOW GLOBAL VARIABLES WHERE variable_name IN {names}")
    if uuid := found.get("server_uuid", ""):
        return ServerName(uuid)
    return ServerName("", *(found.get(name, "") for name in ServerName._fields[1:]))
