"""A failover of servers that are reached by one address and a restricted account, as a managed service does it."""

import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.real.moving_address import moving_address
from tests.real.parts import until
from tests.real.trials import bad
from workers.crash.run import run_trial
from workers.crash.setup_and_result import Attached, TrialResult, TrialSetup
from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect

SCHEMA, SCRIPT = "durascope_t1", Path(__file__).with_name("fail_over.py")
EXAMPLE = Path(__file__).parents[2] / "docs/remote-servers.md"
ON = {"log_bin": "ON", "innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1", "log_slave_updates": "ON"}
GTIDS = {"gtid_mode": "ON", "enforce_gtid_consistency": "ON"}
FOLLOW = "CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT={}, MASTER_USER='repl', MASTER_PASSWORD='repl', {}"
ACCOUNT = "'dba'@'%'"
BUILDS = ("system-mariadb", "mysql-8.0.33")
RIGHTS = {
    "mariadb": ("REPLICATION SLAVE", "BINLOG MONITOR"),
    "mysql": ("REPLICATION SLAVE", "REPLICATION CLIENT", "XA_RECOVER_ADMIN"),
}


@dataclass(frozen=True)
class Pair:
    primary: Sandbox
    replica: Sandbox
    address: Path
    port: int
    users: Path

    def attached(self, how: str, limit_s: float) -> Attached:
        account = {"user": "dba", "password": "few rights", "kind": "attached"}
        target = replace(self.primary.target, host="127.0.0.1", port=self.port, socket="", **account)
        return Attached(target, SCHEMA, self.command(how), ("true",), lambda: None, lambda: None, limit_s=limit_s)

    def command(self, how: str) -> tuple[str, ...]:
        places = (self.primary.folder / "run/pid", self.primary.target.socket, self.replica.target.socket)
        moved = (self.users, self.address, self.replica.target.port, how)
        return sys.executable, str(SCRIPT), *map(str, (*places, *moved))


@pytest.fixture
def pair(sandbox_root, tmp_path, request) -> Iterator[Pair]:
    try:
        build = builds.find(getattr(request, "param", BUILDS[0]))
    except SandboxError as absent:
        pytest.skip(str(absent))
    settings = ON | (GTIDS if build.flavour == "mysql" else {})
    with ExitStack() as made:
        both = [
            made.enter_context(
                Sandbox.create(
                    sandbox_root, build, settings | {"server_id": number}, name=f"drill{number}", trace=False
                )
            )
            for number in ("1", "2")
        ]
        primary, replica = both
        address, users = tmp_path / "address", tmp_path / "users"
        address.write_text(str(primary.target.port))
        users.write_text("".join(f"{one.target.user}\n{one.target.password}\n" for one in both))
        follow(primary, replica)
        yield Pair(primary, replica, address, made.enter_context(moving_address(address)), users)


def run(server: Sandbox, *statements: str) -> None:
    with connect(server.target) as link:
        for sql in statements:
            ask.rows(link, sql)


def follow(primary: Sandbox, replica: Sandbox) -> None:
    is_mysql = primary.build.flavour == "mysql"
    by_gtid = (
        "MASTER_AUTO_POSITION=1, GET_MASTER_PUBLIC_KEY=1"
        if is_mysql
        else "MASTER_USE_GTID=slave_pos, MASTER_SSL_VERIFY_SERVER_CERT=0, MASTER_SSL=0"
    )
    position = "@@GLOBAL.gtid_executed" if is_mysql else "@@gtid_binlog_pos"
    run(primary, "SET sql_log_bin = 0", "CREATE USER repl@'%' IDENTIFIED BY 'repl'",
        "GRANT REPLICATION SLAVE ON *.* TO repl@'%'", "SET sql_log_bin = 1", "RESET MASTER")  # fmt: skip
    run(replica, "RESET MASTER", "SET GLOBAL read_only = ON",
        FOLLOW.format(primary.target.port, by_gtid), "START SLAVE")  # fmt: skip
    run(
        primary,
        f"CREATE USER {ACCOUNT} IDENTIFIED BY 'few rights'",
        f"CREATE SCHEMA {SCHEMA}",
        f"GRANT ALL ON {SCHEMA}.* TO {ACCOUNT}",
        f"GRANT {', '.join(RIGHTS[primary.build.flavour])} ON *.* TO {ACCOUNT}",
    )
    with connect(primary.target) as here, connect(replica.target) as there:
        until(lambda: ask.text(here, f"SELECT {position}") == ask.text(there, f"SELECT {position}"), 60)


def drilled(pair: Pair, how: str, limit_s: float = 120) -> TrialResult:
    return tried(pair, pair.attached(how, limit_s))


def tried(pair: Pair, attached: Attached) -> TrialResult:
    setup = TrialSetup(
        root=pair.primary.root, build=None, name="managed", settings={}, kind="attached-expendable", seed=3, clients=4,
        load_s=0.8, attached=attached,
    )  # fmt: skip
    return run_trial(setup, lambda step: None, lambda: False)


@pytest.mark.parametrize("pair", BUILDS, indirect=True)
def test_a_careless_failover_loses_acknowledged_commits(pair):
    """The positive control."""
    result = drilled(pair, "careless")
    assert {"lost-engine", "lost-binlog"} <= set(bad(result)), result.checks
    assert result.evidence.outage.seconds > 0 and result.evidence.outage.missing == 0 < result.evidence.outage.after
    assert result.lost_engine.transactions == result.lost_binlog.transactions > 0
    assert result.evidence.binlog.seen.whole.tolist() == result.evidence.engine.whole.tolist()


@pytest.mark.parametrize("pair", BUILDS, indirect=True)
def test_a_careful_failover_loses_nothing(pair):
    """The negative control; the log of the new primary is read from the GTID on at which the trial began."""
    result = drilled(pair, "careful")
    assert (bad(result), result.verdict) == ({}, "valid"), result.evidence.problems
    assert result.evidence.binlog.seen.whole.tolist() == result.evidence.engine.whole.tolist()
    assert len(result.evidence.binlog.seen.whole) >= result.acknowledged > 0
    assert result.recovery_s is not None
    outage = result.evidence.outage
    assert outage.seconds > 0 and outage.missing == 0 < outage.after
    assert outage.failed + outage.in_doubt > 0


def test_a_client_that_is_never_let_in_again_leaves_the_outage_unclear(pair):
    """The new primary takes writes, but not those of the client."""
    result = drilled(pair, "refusing", limit_s=10)
    outage = result.evidence.outage
    assert (bad(result), result.verdict) == ({"client-back": "unknown"}, "unknown"), result.checks
    assert outage.seconds is None and outage.failed > 0 and "INSERT command denied" in outage.why


@pytest.mark.skipif(not shutil.which("mysql"), reason="The example needs the client of a server.")
def test_the_documented_script_waits_until_the_failover_has_begun(pair, tmp_path, monkeypatch):
    """With a stand-in for the vendor's program, which returns at once as that does."""
    programs, script = tmp_path / "programs", tmp_path / "drill.sh"
    programs.mkdir()
    (programs / "aws").write_text(
        f"#!/bin/sh\n(sleep 1; exec {shlex.join(pair.command('careful'))}) >/dev/null 2>&1 &\n"
    )
    (programs / "aws").chmod(0o755)
    script.write_text(EXAMPLE.read_text().split("```sh\n")[1].split("```")[0])
    access = f"[client]\nhost=127.0.0.1\nport={pair.port}\nuser=dba\npassword=few rights\nskip-ssl\n"
    (tmp_path / "drill.cnf").write_text(access)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    result = tried(pair, replace(pair.attached("careful", 60), crash=("sh", str(script))))
    assert (bad(result), result.verdict) == ({}, "valid"), result.evidence.problems
    assert result.evidence.outage.seconds > 0 == result.evidence.outage.missing
