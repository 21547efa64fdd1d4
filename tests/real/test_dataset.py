"""Data are loaded once and copied afterwards."""

from dataclasses import replace

import pytest

from tests.unit.bench.plans import plan as small_plan
from workers.bench import dataset, sysbench
from workers.bench.measure import Listener, LoadedTables, measure
from workers.bench.plan import Plan, Variant
from workers.bench.stage import SandboxStage
from workers.sandbox.builds import find
from workers.servers.connection import connect

SILENT = Listener(lambda activity: None, lambda second, warming: None, lambda: False)
ROWS = 777


def plan(**changes) -> Plan:
    return small_plan(**{"warmup_s": 0, "measure_s": 1, "repeats": 1, "threads": (2,), "table_rows": ROWS, **changes})


def run(root, plan: Plan) -> tuple[int, list[str]]:
    """Rows of the table after measuring the plan on a new sandbox, and what was told."""
    told: list[str] = []
    data = dataset.image_for(root, find("system-mariadb"), plan, "")
    stage = SandboxStage(root, find("system-mariadb"), "data", "", trace=False, data=data)
    try:
        prepared = LoadedTables()
        for cell in plan.cells():
            measure(stage, prepared, plan, cell, replace(SILENT, activity=told.append))
        with connect(stage.target) as link, link.cursor() as cursor:
            cursor.execute("SELECT COUNT(*) FROM durascope_0.durascope_rows")
            return cursor.fetchone()[0], told
    finally:
        stage.close()


def test_the_second_sandbox_copies_what_the_first_loaded(sandbox_root, monkeypatch):
    rows, told = run(sandbox_root, plan())
    assert rows == ROWS
    assert any("loading" in line for line in told)

    def never(*_):
        raise AssertionError("loaded again")

    monkeypatch.setattr(sysbench, "prepare", never)
    rows, told = run(sandbox_root, plan())
    assert rows == ROWS
    assert not any("loading" in line for line in told)


def test_an_engine_is_the_same_however_it_is_typed(sandbox_root):
    """The image's schema is found again, so the second run measures rows that are there."""
    for engine in ("innodb", "InnoDB"):
        rows, _ = run(sandbox_root, plan(table_rows=333, variants=(Variant("a", {}, engine),)))
        assert rows == 333


def test_settings_hold_after_the_image_was_kept(sandbox_root):
    """Keeping the image restarts the server: the variant is applied after that."""
    data = dataset.image_for(sandbox_root, find("system-mariadb"), plan(table_rows=334), "")
    stage = SandboxStage(sandbox_root, find("system-mariadb"), "data", "", trace=False, data=data)
    try:
        cell = next(iter(plan(variants=(Variant("0/0", {"sync_binlog": "7"}),)).cells()))
        assert measure(stage, LoadedTables(), plan(), cell, SILENT).effective == {"sync_binlog": "7"}
        with connect(stage.target) as link, link.cursor() as cursor:
            cursor.execute("SELECT @@GLOBAL.sync_binlog")
            assert cursor.fetchone()[0] == 7
    finally:
        stage.close()


@pytest.mark.parametrize("change", [{"table_rows": 778}, {"variants": (Variant("a", {}, "aria"),)}])
def test_a_changed_plan_makes_another_image(sandbox_root, change):
    build = find("system-mariadb")
    one, other = (dataset.image_for(sandbox_root, build, p, "") for p in (plan(), replace(plan(), **change)))
    assert one.key != other.key


def test_a_plan_with_two_engines_keeps_none(sandbox_root):
    two = plan(variants=(Variant("a", {}), Variant("b", {}, "aria")))
    assert dataset.image_for(sandbox_root, find("system-mariadb"), two, "") is None
