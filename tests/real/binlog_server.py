"""A server with the witness's tables: commits of all shapes, many statements in one packet."""

from itertools import chain
from pathlib import Path

import pymysql
from pymysql.constants import CLIENT

from workers.crash.binlog import files_of
from workers.crash.transactions import statements
from workers.sandbox.server import Sandbox

SCHEMA = "durascope_crash"
TABLES = Path(__file__).parents[2] / "workers" / "crash" / "schema.sql"
SECRET = b"known to tests.."
AT_ONCE = 500  # transactions in one packet


def query(sandbox: Sandbox, *said: str, schema: str = SCHEMA) -> tuple:
    """Run them in one connection; the last one's rows."""
    target = sandbox.target
    login = {"unix_socket": target.socket, "user": target.user, "password": target.password, "database": schema}
    flags = CLIENT.MULTI_STATEMENTS
    connection = pymysql.connect(autocommit=True, ssl_disabled=True, client_flag=flags, **login)
    try:
        with connection.cursor() as cursor:
            for statement in said:
                cursor.execute(statement)
                while cursor.nextset():
                    pass
            return cursor.fetchall()
    finally:
        connection.close()


def prepare(sandbox: Sandbox, engine: str = "InnoDB") -> None:
    """An empty schema with the witness's tables."""
    query(sandbox, f"DROP SCHEMA IF EXISTS {SCHEMA}", f"CREATE SCHEMA {SCHEMA}", schema="")
    tables = TABLES.read_text().format(engine=engine)
    query(sandbox, *filter(str.strip, tables.split(";")))


def commit(sandbox: Sandbox, *, client: int, first: int, last: int, before: str = "DO 1") -> None:
    packets = [range(begin, min(begin + AT_ONCE, last + 1)) for begin in range(first, last + 1, AT_ONCE)]
    query(sandbox, before, *(insert(client, *numbers) for numbers in packets))


def insert(client: int, *numbers: int) -> str:
    """The witness's statements for these transactions, in one text."""
    return b";".join(chain.from_iterable(statements(SECRET, client, numbers))).decode()


def log_files(sandbox: Sandbox) -> list[Path]:
    return files_of(sandbox.binlog_index)
