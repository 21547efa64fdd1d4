"""A failover command as an owner would give it: the primary ends, its replica is promoted, the address moves.

    python fail_over.py PID_FILE PRIMARY_SOCKET REPLICA_SOCKET USERS ADDRESS_FILE PORT careful|careless|refusing

`USERS`: a file with account and password of each server, in two lines each. `careful`: the primary takes no more
writes, and the replica has all of them, before it ends. `careless`: the replica had stopped receiving before.
`refusing`: as `careful`, and the new primary refuses what the clients insert."""

import os
import signal
import sys
import time
from pathlib import Path

import pymysql

IN_MARIADB = "MASTER_GTID_WAIT", "@@gtid_binlog_pos"
IN_MYSQL = "WAIT_FOR_EXECUTED_GTID_SET", "@@GLOBAL.gtid_executed"


def main(pid_file: str, primary: str, replica: str, users: str, address: str, port: str, how: str) -> None:
    names = Path(users).read_text().splitlines()
    old = _connected(primary, *names[:2])
    new = _connected(replica, *names[2:])
    if how != "careless":
        _ask(old, "SET GLOBAL read_only = ON")
        wait, position = IN_MARIADB if "MariaDB" in str(_ask(old, "SELECT VERSION()")) else IN_MYSQL
        _ask(new, f"SELECT {wait}('{_ask(old, f'SELECT {position}')}', 60)")
    else:
        _ask(new, "STOP SLAVE IO_THREAD")
        time.sleep(0.3)
    os.kill(int(Path(pid_file).read_text()), signal.SIGKILL)
    _ask(new, "STOP SLAVE")
    if how == "refusing":
        _ask(new, "REVOKE INSERT ON durascope_t1.* FROM dba@'%'")
    _ask(new, "SET GLOBAL read_only = OFF")
    Path(address).write_text(port)


def _connected(place: str, user: str, password: str) -> pymysql.Connection:
    return pymysql.connect(unix_socket=place, user=user, password=password, autocommit=True, ssl_disabled=True)


def _ask(link: pymysql.Connection, sql: str) -> object:
    with link.cursor() as cursor:
        cursor.execute(sql)
        return (cursor.fetchone() or [None])[0]


if __name__ == "__main__":
    main(*sys.argv[1:])
