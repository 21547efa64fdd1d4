"""What every installed build must do: start, take the load, be counted, crash and recover. Builds that are not
installed are skipped; `manage.py build install NAME` adds one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.bench.plans import plan as small_plan
from workers.bench.measure import Listener, LoadedTables, Measurement, measure
from workers.bench.plan import Plan, Variant
from workers.bench.stage import SandboxStage
from workers.errors import SandboxError
from workers.sandbox import builds
from workers.sandbox.builds import Build
from workers.servers import ask, durability, preflight
from workers.servers.connection import connect

SILENT = Listener(lambda activity: None, lambda second, warming: None, lambda: False)
ALL_ON = {
    "log_bin": "ON", "innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1", "performance_schema": "ON"
}  # fmt: skip
ROWS = 500


@pytest.fixture(scope="module", params=list(builds.every()))
def build(request: pytest.FixtureRequest) -> Build:
    try:
        return builds.find(request.param)
    except SandboxError as absent:
        pytest.skip(str(absent))


@pytest.fixture(scope="module")
def stage(sandbox_root: Path, build: Build) -> Iterator[SandboxStage]:
    made = SandboxStage(sandbox_root, build, build.key, "")
    yield made
    made.close()


def one_cell(**changes: object) -> Plan:
    return small_plan(**{"warmup_s": 0, "measure_s": 1, "repeats": 1, "table_rows": ROWS, **changes})


def measured(stage: SandboxStage, threads: int, **variant: object) -> Measurement:
    plan = one_cell(threads=(threads,), variants=(Variant("v", **({"settings": ALL_ON} | variant)),))
    return measure(stage, LoadedTables(), plan, next(iter(plan.cells())), SILENT)


def figures(done: Measurement, source: str) -> dict[str, float]:
    return {figure.name: figure.value for figure in done.readings[source].figures}


def test_a_build_has_the_flavour_version_and_engines_of_its_entry(stage, build):
    assert (stage.facts.flavour, stage.facts.version) == (build.flavour, build.version)
    assert stage.facts.has_engine("innodb")
    assert all(stage.facts.has_engine(engine.name) for engine in build.engines)


def test_only_the_account_of_the_sandbox_can_log_in(stage):
    """Neither the first user of an installation, nor those without a name."""
    sql = "SELECT user, host FROM mysql.user WHERE user IN ('', 'root') AND host <> 'localhost'"
    with connect(stage.target) as connection:
        assert ask.rows(connection, sql) == []
        assert ask.rows(connection, "SELECT user FROM mysql.user WHERE user = ''") == []


def test_a_variant_has_the_redo_log_that_its_option_file_would_give(stage):
    """MariaDB chooses at its start whether it writes the log past the page cache, and keeps to it when it gets 2."""
    buffered = {}
    for flush in ("1", "2", "0"):
        stage.apply(Variant(flush, {"innodb_flush_log_at_trx_commit": f" {flush}"}))  # as somebody may type it
        with connect(stage.target) as connection:
            buffered[flush] = ask.names_to_values(connection, "SHOW GLOBAL VARIABLES LIKE 'innodb_log_file_buffering'")
    switch = {flush: found.get("innodb_log_file_buffering") for flush, found in buffered.items()}
    has = stage.facts.flavour == "mariadb" and stage.facts.version >= (10, 8, 4)
    assert switch == ({"1": "OFF", "2": "ON", "0": "OFF"} if has else dict.fromkeys("120"))


def test_a_build_takes_the_load_and_its_fsyncs_are_counted(stage):
    """One thread, 1/1: nothing can be shared, so each commit has its own binlog fsync and at least one of the redo."""
    done = measured(stage, threads=1)
    commits = done.load.transactions
    assert done.effective == ALL_ON
    counted = figures(done, "trace")
    assert commits <= counted["binlog_fsyncs"] <= 1.1 * commits + 3
    assert counted["redo_fsyncs"] >= commits
    assert counted["all_fsyncs"] >= counted["redo_fsyncs"] + counted["binlog_fsyncs"]
    for source in ("status", "file_waits"):
        assert source in done.readings or done.missing[source]
        told = figures(done, source).get("binlog_fsyncs") if source in done.readings else None
        assert told is None or told == pytest.approx(counted["binlog_fsyncs"], rel=0.05, abs=5)
    assert figures(done, "status")["commits"] == pytest.approx(commits, abs=3)


def test_settings_reach_it(stage):
    lazy = {**ALL_ON, "innodb_flush_log_at_trx_commit": "0", "sync_binlog": "0"}
    done = measured(stage, threads=4, settings=lazy)
    assert done.effective == lazy
    assert figures(done, "trace")["binlog_fsyncs"] < done.load.transactions / 2


def test_group_commit_came_with_5_6(stage, build):
    """On 5.5 every commit of 8 threads has a binlog fsync of its own (claim G1)."""
    if build.version >= (5, 6, 0):
        pytest.skip("Whether commits share an fsync depends on how slow this machine's disk is.")
    done = measured(stage, threads=8)
    assert figures(done, "trace")["binlog_fsyncs"] >= done.load.transactions


def test_other_engines_of_a_build_take_the_load(stage, build):
    if not build.engines:
        pytest.skip("It has InnoDB only.")
    for engine in build.engines:
        done = measured(stage, threads=1, engine=engine.name)
        counted = figures(done, "trace")
        assert counted["redo_fsyncs"] >= done.load.transactions
        told = figures(done, "status")
        logged = told.get("redo_fsyncs", told.get("redo_and_data_fsyncs"))
        assert logged == pytest.approx(counted["redo_fsyncs"] + counted["data_fsyncs"], rel=0.05, abs=5)
        with connect(stage.target) as connection:
            tables = "SELECT engine FROM information_schema.tables WHERE table_name = 'durascope_rows'"
            assert engine.name in {name for (name,) in ask.rows(connection, tables)}


def test_the_first_look_has_an_answer_to_everything(stage):
    for check in preflight.run(stage.target).checks:
        assert check.outcome in ("passed", "warned"), check
    assert durability.report(stage.facts)


def test_a_build_recovers_from_a_kill(stage, build):
    stage.apply(Variant("safe", ALL_ON))
    sandbox = stage._sandbox
    with connect(sandbox.target) as connection:
        ask.rows(connection, "CREATE DATABASE durascope_kill")
        ask.rows(connection, "CREATE TABLE durascope_kill.kept (id INT PRIMARY KEY) ENGINE=InnoDB")
        for number in range(20):
            ask.rows(connection, "INSERT INTO durascope_kill.kept VALUES (%s)", (number,))
    sandbox.kill()
    recovery = sandbox.recover(ALL_ON)
    assert recovery.log_lines
    with connect(sandbox.target) as connection:
        assert ask.value(connection, "SELECT COUNT(*) FROM durascope_kill.kept") == 20
    sandbox.settle()
    sandbox.stop()
    assert sandbox.save_image(f"kept-{build.key}").is_dir()
