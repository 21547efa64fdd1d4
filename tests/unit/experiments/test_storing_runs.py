"""What a measurement leaves in the database, value for value."""

from dataclasses import replace

import pytest

from dashboard.records.experiments import claiming, lifecycle, storing_runs
from dashboard.records.experiments.models import Series
from tests.unit.conducting import experiments as make
from workers.bench.load import LoadSecond
from workers.errors import DurascopeError
from workers.upkeep import restores

pytestmark = pytest.mark.django_db


@pytest.fixture
def begun():
    return lifecycle.begin(make.experiment(make.attached()).pk, make.worker(), ["h"])


def test_the_series_holds_what_each_second_measured(begun):
    seconds = (LoadSecond(1.0, 100.12345, 200.0, 50.0, 0.0, 3.25), LoadSecond(2.0, 101.0, 201.0, 51.0, 1.0, None))
    done = make.measurement()
    done = replace(done, load=replace(done.load, seconds=seconds))
    run = storing_runs.save_run(claiming.claim(begun.cells, begun), done, make.environment(), None)
    assert Series.objects.get(run=run).columns == {
        "t_s": [1.0, 2.0], "tps": [100.1235, 101.0], "qps": [200.0, 201.0], "writes": [50.0, 51.0],
        "errors": [0.0, 1.0], "p95_ms": [3.25, None],
    }  # fmt: skip


def test_the_order_of_keys_does_not_make_another_environment(begun):
    one = storing_runs.environment_row({"host": {"cpu": 1, "memory": 2}, "storage": {}})
    assert storing_runs.environment_row({"storage": {}, "host": {"memory": 2, "cpu": 1}}) == one


def test_a_cell_that_is_claimed_again_forgets_why_it_failed(begun):
    begun.cells.update(error="It went away.", fix="Look.")
    cell = claiming.claim(begun.cells, begun)
    cell.refresh_from_db()
    assert (cell.state, cell.error, cell.fix) == ("running", "", "")


def test_a_stopped_cell_has_no_reason_and_a_failed_one_its_own(begun):
    stopped, failed = claiming.claim(begun.cells, begun), claiming.claim(begun.cells, begun)
    claiming.end(stopped, "cancelled")
    claiming.end(failed, "failed", DurascopeError("It went away.", "Look."))
    for cell in (stopped, failed):
        cell.refresh_from_db()
    assert (stopped.error, stopped.fix) == ("", "")
    assert (failed.error, failed.fix) == ("It went away.", "Look.")


def test_a_restored_setting_has_no_problem_any_more(begun):
    server = begun.cells.first().server
    restores.note(server, begun, "variable", "sync_binlog", "1")
    server.pending_restores.update(problem="It was down.")
    restores.done(server, lambda: None, "variable", "sync_binlog")
    assert server.pending_restores.get().problem == "" and server.pending_restores.get().restored_at


def test_a_pending_start_is_stored_once_and_has_no_name(begun):
    server = begun.cells.first().server
    restores.note(server, begun, "start", "", "")
    restores.note(server, begun, "start", "", "")
    assert (server.pending_restores.get().name, server.pending_restores.get().old) == ("", "")
