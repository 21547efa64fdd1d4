"""A small failover manager for MariaDB, as docs/topology.md describes it: python promoting.py [wrong | change]

It pings the primary; when it does not answer, the replica that received most applies its relay log and takes over. With
"wrong" it gives up. With "change" it issues CHANGE MASTER before the relay log is applied, which deletes the relay log.
"""

import json
import os
import sys
import time

import pymysql
from pymysql.cursors import DictCursor

POLL_S = 0.05


def connect(node):
    return pymysql.connect(
        host=node["host"], port=node["port"], user=node["user"], password=node["password"], autocommit=True,
        connect_timeout=2, read_timeout=1, cursorclass=DictCursor,
    )  # fmt: skip


def ask(connection, sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchone()


def answers(primary):
    try:
        with connect(primary) as connection:
            return bool(ask(connection, "SELECT 1"))
    except pymysql.MySQLError:
        return False


def number(gtid):
    return int(gtid.rpartition("-")[2] or 0)


def received(replica):
    return number(ask(replica, "SHOW SLAVE STATUS")["Gtid_IO_Pos"])


def apply(replica):
    while received(replica) > number(ask(replica, "SELECT @@gtid_slave_pos AS at")["at"]):
        time.sleep(POLL_S)


def main():
    nodes = json.loads(os.environ["DURASCOPE_NODES"])
    primary = next(node for node in nodes if node["role"] == "primary")
    replicas = [node for node in nodes if node["role"] == "replica"]
    print(f"watching {primary['name']}", flush=True)
    while answers(primary):
        time.sleep(POLL_S)
    print(f"{primary['name']} does not answer", flush=True)
    if sys.argv[1:] == ["wrong"]:
        sys.exit("promoted nobody")
    best = max((connect(replica) for replica in replicas), key=received)
    if sys.argv[1:] == ["change"]:
        ask(best, "STOP SLAVE")
        ask(best, "CHANGE MASTER TO MASTER_USE_GTID = slave_pos")
    else:
        apply(best)
        ask(best, "STOP SLAVE")
    ask(best, "SET GLOBAL read_only = OFF")
    print(f"promoted the replica at port {best.port}", flush=True)


if __name__ == "__main__":
    main()
