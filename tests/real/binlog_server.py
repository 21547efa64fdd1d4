"""A server whose witness is a stored procedure: commits of all shapes, without a client's round trips."""

from pathlib import Path

import pymysql

from workers.crash.binlog import files_of
from workers.sandbox.options import BINLOG_BASE
from workers.sandbox.server import Sandbox

SCHEMA = "durascope_crash"
TABLES = Path(__file__).parents[2] / "workers" / "crash" / "schema.sql"
PROCEDURE = Path(__file__).with_name("binlog_witness.sql")


def query(sandbox: Sandbox, *statements: str, schema: str = SCHEMA) -> tuple:
    """Run them in one connection; the last one's rows."""
    target = sandbox.target
    login = {"unix_socket": target.socket, "user": target.user, "password": target.password, "database": schema}
    connection = pymysql.connect(autocommit=True, ssl_disabled=True, **login)
    try:
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall()
    finally:
        connection.close()


def prepare(sandbox: Sandbox, engine: str = "InnoDB") -> None:
    """An empty schema with the witness's tables and its procedure."""
    query(sandbox, f"DROP SCHEMA IF EXISTS {SCHEMA}", f"CREATE SCHEMA {SCHEMA}", schema="")
    tables = TABLES.read_text().format(engine=engine)
    query(sandbox, *filter(str.strip, tables.split(";")), PROCEDURE.read_text())


def commit(sandbox: Sandbox, *, client: int, first: int, last: int, before: str = "DO 1") -> None:
    query(sandbox, before, f"CALL witness({client}, {first}, {last})")


def log_files(sandbox: Sandbox) -> list[Path]:
    return files_of(sandbox.datadir, BINLOG_BASE)
