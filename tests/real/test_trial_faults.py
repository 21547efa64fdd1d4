"""Is the checker itself to be trusted? After a crash that lost nothing, something is done to the evidence: each fault
is found and named, and without a fault nothing is.

The server is restarted in order: a kill may, seldom, tear the binlog by itself. The load ends after a number of
commits: in a short time a busy machine makes too few, and the row to be deleted is not there yet.
"""

import struct
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.real.disks import leavings, needs_disk
from tests.real.parts import until
from tests.real.trials import bad, crash
from workers.crash.binlog import files_of
from workers.crash.chain import TrialPorts
from workers.crash.replica import SCHEMA
from workers.crash.setup_and_result import TrialResult
from workers.crash.witness import Witness
from workers.errors import SandboxError
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect

GTID_EVENT = 162  # of MariaDB
HEADER = struct.Struct("<IBIIIH")  # time, type, server, length, next position, flags
NUMBER_AT = HEADER.size  # of a GTID event
CRC_BYTES = 4
LEAST_COMMITS = 8  # of each client


class Counting(Witness):
    """It lets the trial go on after the commits."""

    def begin(self) -> None:
        super().begin()
        until(lambda: all(client.acknowledged >= LEAST_COMMITS for client in self._clients))


def spoilt(root: Path, fault: Callable[[Sandbox], object], **options: Any) -> TrialResult:
    """The fault happens when the server is up again, before anything is read."""

    class Spoilt(Sandbox):
        def recover(self, settings):
            done = super().recover(settings)
            fault(self)
            return done

    ports = TrialPorts(sandbox=Spoilt.create, witness=Counting)
    return crash(root, "graceful-restart", ports=ports, load_s=0.0, **options)


def sql(server: Sandbox, statement: str) -> None:
    """Past the binlog."""
    with connect(server.target) as connection:
        connection.select_db(SCHEMA)
        ask.rows(connection, "SET SESSION sql_log_bin = 0")
        ask.rows(connection, statement)


def delete_a_row(server: Sandbox) -> None:
    sql(server, "DELETE FROM one WHERE client = 3 AND n = 5")


def first_binlog(server: Sandbox) -> Path:
    return files_of(server.binlog_index)[0]


def offenders(result, key: str):
    return next(check.offenders for check in result.checks if check.key == key)


def test_a_kill_that_lost_nothing_is_valid(sandbox_root):
    result = spoilt(sandbox_root, lambda server: None)
    assert bad(result) == {}
    assert result.verdict == "valid"
    assert result.acknowledged > 100


def test_a_deleted_row_is_found(sandbox_root):
    result = spoilt(sandbox_root, delete_a_row)
    assert bad(result) == {"lost-engine": "invalid", "binlog-only": "invalid", "order": "invalid"}
    assert offenders(result, "lost-engine") == ((3, 5),)
    assert (result.verdict, result.lost_engine.transactions, result.lost_binlog.transactions) == ("invalid", 1, 0)


def test_a_deleted_half_of_a_transaction_is_found(sandbox_root):
    result = spoilt(sandbox_root, lambda server: sql(server, "DELETE FROM right_half WHERE client = 2 AND n = 4"))
    assert offenders(result, "torn") == ((2, 4),)


def test_a_row_that_was_never_sent_is_found(sandbox_root):
    result = spoilt(sandbox_root, lambda server: sql(server, "INSERT INTO one VALUES (1, 900000, 0, 0)"))
    assert bad(result) == {"altered": "invalid", "never-sent": "invalid"}
    assert offenders(result, "never-sent") == ((1, 900000),)


def within_an_event(binlog: bytes) -> int:
    """About the middle: of a file that is cut between two events nobody can tell that it went on."""
    middle = len(binlog) // 2
    length, end = struct.unpack_from("<II", binlog, middle + 9)  # if an event's header is here, these are its own
    return middle - 1 if end - length == middle else middle


def test_a_cut_binlog_is_found(sandbox_root):
    def cut(server):
        file = first_binlog(server)
        with file.open("r+b") as opened:
            opened.truncate(within_an_event(file.read_bytes()))

    result = spoilt(sandbox_root, cut)
    assert {"lost-binlog", "engine-only", "binlog-unreadable"} <= set(bad(result))
    assert "lost-engine" not in bad(result)
    assert result.lost_binlog.transactions > result.acknowledged // 4
    assert len(offenders(result, "lost-binlog")) == min(10, result.lost_binlog.transactions)  # the first ones


def test_a_swapped_gtid_is_found(sandbox_root):
    """A transaction is given the number of the one before."""

    def swap(server):
        file = first_binlog(server)
        data = bytearray(file.read_bytes())
        first, second = gtid_events(data)[10:12]
        data[second + NUMBER_AT : second + NUMBER_AT + 8] = data[first + NUMBER_AT : first + NUMBER_AT + 8]
        end = second + HEADER.unpack_from(data, second)[3]
        data[end - CRC_BYTES : end] = zlib.crc32(data[second : end - CRC_BYTES]).to_bytes(CRC_BYTES, "little")
        file.write_bytes(data)

    result = spoilt(sandbox_root, swap)
    assert bad(result) == {"binlog-order": "invalid", "binlog-rewritten": "invalid", "gtid-reused": "invalid"}


def test_a_changed_byte_of_the_binlog_is_found(sandbox_root):
    """The checksum tells."""

    def change(server):
        file = first_binlog(server)
        data = bytearray(file.read_bytes())
        data[gtid_events(data)[10] + NUMBER_AT] ^= 1
        file.write_bytes(data)

    result = spoilt(sandbox_root, change)
    assert {"lost-binlog", "binlog-unreadable"} <= set(bad(result))


def test_a_prepared_transaction_that_was_left_is_found(sandbox_root):
    def leave(server):
        with connect(server.target) as connection:
            connection.select_db(SCHEMA)
            for statement in ("XA START 'left'", "INSERT INTO one VALUES (0, 900001, 0, 0)", "XA END 'left'",
                              "XA PREPARE 'left'"):  # fmt: skip
                ask.rows(connection, statement)

    result = spoilt(sandbox_root, leave)
    assert bad(result)["prepared-left"] == "invalid"
    assert result.evidence.prepared_left == 1


def test_a_row_that_only_the_replica_has_is_found(sandbox_root):
    """Both reconnections go well and say so: only the rows tell."""
    result = spoilt(sandbox_root, delete_a_row, replica=True)
    assert bad(result)["replica"] == "invalid"
    first, second = result.evidence.replicas[:2]
    assert (first.state, first.different_rows, first.only_follower) == ("caught up", 1, ((3, 5),))
    assert second.different_rows == 1


def test_tables_in_another_engine_than_the_variant_says_are_no_trial(sandbox_root):
    """The server would substitute one; our sessions do not let it."""

    def substituting(root, build, settings, **how):
        return Sandbox.create(root, build, {**settings, "sql_mode": ""}, **how)

    result = crash(sandbox_root, "graceful-restart", engine="no_such_engine", ports=TrialPorts(sandbox=substituting))
    assert (result.verdict, result.failed_at) == ("unknown", "prepare")
    assert "Unknown storage engine 'no_such_engine'" in result.error


def test_the_verdict_is_unknown_when_the_binlog_is_gone(sandbox_root):
    result = spoilt(sandbox_root, lambda server: (server.datadir / "binlog.index").unlink())
    assert result.verdict == "unknown"
    assert bad(result)["lost-binlog"] == "unknown"
    assert any("binlog" in problem for problem in result.evidence.problems)


def gtid_events(data: bytes) -> list[int]:
    """Where they begin."""
    found, at = [], 4
    while at + HEADER.size <= len(data):
        _, kind, _, length, _, _ = HEADER.unpack_from(data, at)
        if kind == GTID_EVENT:
            found.append(at)
        at += length
    return found


@needs_disk
def test_a_trial_that_breaks_while_the_disk_holds_its_flushes_ends(sandbox_root):
    """The server waits in the kernel for the disk then, and no kill ends it before the disk does."""

    class NeverFrozen(Sandbox):
        def freeze(self):
            raise SandboxError("The sandbox could not be frozen.")

    broken = crash(sandbox_root, "power-loss", ports=TrialPorts(sandbox=NeverFrozen.create))
    assert (broken.verdict, broken.failed_at, broken.error) == ("unknown", "freeze", "The sandbox could not be frozen.")
    assert leavings(sandbox_root) == (0, 0, []) and "left behind" not in broken.notes
