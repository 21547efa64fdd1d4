"""Makes what a server holds in memory durable before a crash."""

import contextlib

from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.target import Target

FLUSH_AT_COMMIT = r"%flush\_log\_at\_trx\_commit"  # of InnoDB, and of RocksDB


def flush_logs(target: Target) -> None:
    """Write out the engines' logs from memory, which is enough before a kill."""
    with contextlib.closing(connect(target)) as connection:
        values = ask.names_to_values(connection, f"SHOW GLOBAL VARIABLES LIKE '{FLUSH_AT_COMMIT}'")
        careless = {name: value for name, value in values.items() if value != "1"}
        for name in careless:
            ask.rows(connection, f"SET GLOBAL {name} = 1")
        ask.rows(connection, "FLUSH LOCAL TABLES")
        ask.rows(connection, "FLUSH LOCAL ENGINE LOGS")  # MariaDB ignores this unless the setting is 1
        for name, value in careless.items():
            ask.rows(connection, f"SET GLOBAL {name} = {value}")
