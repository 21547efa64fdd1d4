"""An owner's server in another network, with an account that may do little: its log is read as a replica reads it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.real.networks import needs_network
from tests.real.owned import KILL, end
from tests.real.test_binlog_sent import content
from tests.real.trials import bad, forgetful, wait_for_unflushed
from tests.real.two_networks import another_network
from workers.crash.binlog import files_of, read
from workers.crash.run import run_trial
from workers.crash.setup_and_result import Attached, TrialResult, TrialSetup
from workers.sandbox import builds, options
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect

SCHEMA, ACCOUNT = "durascope_t1", "'far'@'%'"
READS = ("REPLICATION SLAVE", "BINLOG MONITOR")

pytestmark = needs_network


@pytest.fixture(scope="module")
def far(sandbox_root) -> Iterator[tuple[Sandbox, Attached]]:
    """(server, how it is crashed and started): no file of it is given to the trial."""
    build = builds.find("system-mariadb")
    with (
        another_network() as network,
        Sandbox.create(sandbox_root, build, forgetful(), name="far", trace=False, namespace=network) as server,
    ):
        server._room.socket = server.folder / "run/sock"  # what its owner's command starts makes another one
        with connect(server.target) as link:
            for sql in (
                f"CREATE USER {ACCOUNT} IDENTIFIED BY 'far away'",
                f"CREATE SCHEMA {SCHEMA}",
                f"GRANT ALL ON {SCHEMA}.* TO {ACCOUNT}",
            ):
                ask.rows(link, sql)
        user = server.user
        become = f"setpriv --reuid={user.uid} --regid={user.gid} --clear-groups" if user.switch else ""
        start = f"nsenter --net={network.path} {become} {build.mysqld} --defaults-file={server.folder}/my.cnf &"
        target = replace(
            server.target, user="far", password="far away", host=network.address, socket="", kind="attached"
        )
        commands = ("sh", "-c", KILL % (server.folder / "run/pid")), ("sh", "-c", start)
        yield server, Attached(target, SCHEMA, *commands, lambda: None, lambda: None, limit_s=60)
        end(server)


def crashed(server: Sandbox, attached: Attached) -> TrialResult:
    setup = TrialSetup(
        root=server.root, build=None, name="far", settings={}, kind="attached-expendable", seed=3, clients=8,
        load_s=0.8, attached=replace(attached, permit=lambda: wait_for_unflushed(server.target)),
    )  # fmt: skip
    with connect(server.target) as link:
        ask.rows(link, f"DROP SCHEMA {SCHEMA}")
        ask.rows(link, f"CREATE SCHEMA {SCHEMA}")
    return run_trial(setup, lambda step: None, lambda: False)


def granted(server: Sandbox, verb: str) -> None:
    with connect(server.target) as link:
        direction = "TO" if verb == "GRANT" else "FROM"
        ask.rows(link, f"{verb} {', '.join(READS)} ON *.* {direction} {ACCOUNT}")


def test_its_log_is_judged_as_its_files_would_be(far):
    server, attached = far
    granted(server, "GRANT")
    with connect(server.target) as link:
        first = ask.text(link, "SHOW MASTER STATUS")
    result = crashed(server, attached)
    assert {"lost-engine", "binlog-only"} <= set(bad(result)), "the positive control: InnoDB lost commits"
    assert set(bad(result).values()) == {"invalid"}
    files = [file for file in files_of(server.datadir, options.BINLOG_BASE) if file.name >= first]
    secret = bytes.fromhex(result.digest_key)
    assert content(result.evidence.binlog) == content(read(files, SCHEMA, secret))
    assert result.lost_binlog.transactions == 0 < result.lost_engine.transactions
    keys = {check.key for check in result.checks}
    assert {"lost-binlog", "binlog-order", "binlog-twice", "binlog-unreadable"} <= keys
    assert not {"binlog-rewritten", "gtid-reused"} & keys
    assert {"left out: Binary log left unchanged by recovery", "left out: Each GTID used once"} <= set(result.notes)


def test_without_the_right_the_trial_goes_on_and_names_the_grant(far):
    server, attached = far
    granted(server, "REVOKE")
    result = crashed(server, attached)
    assert result.verdict == "invalid" and "lost-engine" in bad(result)
    unclear = next(check for check in result.checks if check.key == "lost-binlog")
    assert unclear.outcome == "unknown" and "GRANT BINLOG MONITOR ON *.* TO 'far'@'%';" in unclear.says
