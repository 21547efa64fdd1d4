"""An owner's server in another network, with an account that may do little: its log is read as a replica reads it."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.real.far_server import ACCOUNT, FORGETFUL, SCHEMA, FarServer, far_server
from tests.real.networks import needs_network
from tests.real.test_binlog_sent import content
from tests.real.trials import bad, wait_for_unflushed
from workers.crash.binlog import BinlogUnknown, read
from workers.crash.run import run_trial
from workers.crash.setup_and_result import Attached, TrialResult, TrialSetup
from workers.errors import SandboxError
from workers.sandbox import builds

# Numbers of events with compressed rows: MariaDB's QUERY_COMPRESSED and *_ROWS_COMPRESSED, MySQL's TRANSACTION_PAYLOAD.
PACKED = {"mariadb": set(range(165, 172)), "mysql": {40}}

pytestmark = needs_network


@pytest.fixture(scope="module")
def far(request: pytest.FixtureRequest, sandbox_root: Path) -> Iterator[FarServer]:
    try:
        build = builds.find(request.param)
    except SandboxError as absent:
        pytest.skip(str(absent))
    keys = sandbox_root / f"far-keys-{build.key}"
    keys.mkdir()
    keys.chmod(0o755)
    with far_server(sandbox_root, keys, build) as made:
        made.grant("GRANT")
        yield made
    shutil.rmtree(keys)


def crashed(far: FarServer, attached: Attached, permit: Callable[[], None] = lambda: None) -> TrialResult:
    setup = TrialSetup(
        root=far.server.root, build=None, name="far", settings={}, kind="attached-expendable", seed=3, clients=8,
        load_s=0.8, attached=replace(attached, permit=permit),
    )  # fmt: skip
    far.run(f"DROP SCHEMA {SCHEMA}", f"CREATE SCHEMA {SCHEMA}")
    return run_trial(setup, lambda step: None, lambda: False)


def of_its_files(files: Sequence[Path], result: TrialResult) -> dict[str, object]:
    return content(read(files, SCHEMA, bytes.fromhex(result.digest_key)))


def kinds_of(file: Path) -> set[int]:
    """The numbers of the kinds of its events."""
    data, at, found = file.read_bytes(), 4, set()
    while (size := int.from_bytes(data[at + 9 : at + 13], "little")) > 0:
        found.add(data[at + 4])
        at += size
    return found


@pytest.mark.parametrize("log", ["plain", "compressed", "encrypted"])
@pytest.mark.parametrize("far", ["system-mariadb", "mysql-8.0.33"], indirect=True)
def test_the_log_of_a_remote_server_is_judged_as_its_files(far, log, tmp_path):
    """The positive control: a crash that takes the end of the log as well."""
    if log == "encrypted" and far.never_encrypts:
        pytest.skip(far.never_encrypts)
    attached = far.with_start(far.options(log), loses_log=True)
    first = far.newest_file()
    result = crashed(far, attached)
    assert bad(result)["lost-binlog"] == "invalid"
    assert result.lost_engine.transactions < result.lost_binlog.transactions < len(result.evidence.binlog.order)
    files = far.files_from(first)
    if log == "encrypted":
        with pytest.raises(BinlogUnknown, match="encrypt"):
            of_its_files(files, result)
        refused = far.copied_by_the_vendor(first, tmp_path)
        files = sorted(tmp_path.iterdir())
        of_files = of_its_files(files, result)
    else:
        of_files = of_its_files(files, result)
        refused = of_files["unreadable"]
    assert bool(kinds_of(files[0]) & PACKED[far.flavour]) == (log == "compressed")
    sent = content(result.evidence.binlog)
    assert bool(sent["unreadable"]) == bool(refused)
    told_otherwise = ("end", "end_at", "unreadable") if refused else ()
    assert {name: of_files[name] for name in sent if name not in told_otherwise} == {
        name: value for name, value in sent.items() if name not in told_otherwise
    }
    keys = {check.key for check in result.checks}
    assert {"lost-binlog", "binlog-order", "binlog-twice", "binlog-unreadable"} <= keys
    assert not {"binlog-rewritten", "gtid-reused"} & keys
    assert {"left out: Binary log left unchanged by recovery", "left out: Each GTID names one transaction"} <= set(
        result.notes
    )


@pytest.mark.parametrize("far", ["system-mariadb"], indirect=True)
def test_a_log_that_lost_nothing_is_not_blamed_for_what_the_engine_lost(far):
    attached, first = far.with_start(FORGETFUL), far.newest_file()
    result = crashed(far, attached, lambda: wait_for_unflushed(far.server.target))
    assert {"lost-engine", "binlog-only"} <= set(bad(result))
    assert set(bad(result).values()) == {"invalid"}
    assert result.lost_binlog.transactions == 0 < result.lost_engine.transactions
    assert content(result.evidence.binlog) == of_its_files(far.files_from(first), result)


@pytest.mark.parametrize("far", ["system-mariadb"], indirect=True)
def test_without_the_right_the_trial_goes_on_and_names_the_grant(far):
    far.grant("REVOKE")
    result = crashed(far, far.with_start(FORGETFUL), lambda: wait_for_unflushed(far.server.target))
    assert result.verdict == "invalid" and "lost-engine" in bad(result)
    unclear = next(check for check in result.checks if check.key == "lost-binlog")
    assert unclear.outcome == "unknown" and f"GRANT BINLOG MONITOR ON *.* TO {ACCOUNT};" in unclear.says
