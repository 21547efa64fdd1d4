"""What only one may have, and two ask for at the same moment: cells, hosts, environments, the experiment itself."""

from collections import Counter
from functools import partial
from itertools import count
from uuid import uuid4

import pytest

from dashboard.records.experiments import claiming, leases, lifecycle, storing_runs
from dashboard.records.experiments.actions import queue_unfinished
from dashboard.records.experiments.models import Environment
from dashboard.records.holds.models import HostLease
from tests.at_once import at_once
from tests.unit.conducting import experiments as make
from workers.errors import PlanError

pytestmark = pytest.mark.django_db(transaction=True)
THREADS = 4
ROUNDS = 12
NUMBER = count()


def begun(cells=ROUNDS):
    stored = make.experiment(make.attached(f"db{next(NUMBER)}"), cells=cells)
    return lifecycle.begin(stored.pk, make.worker(), [f"host of {stored.pk}"])


def test_no_cell_is_claimed_twice():
    experiment = begun(cells=ROUNDS * THREADS)
    claimed = Counter()
    for _ in range(ROUNDS):
        found = at_once(*[partial(claiming.claim, experiment.cells, experiment)] * THREADS)
        claimed.update(cell.pk for cell in found)
    assert set(claimed.values()) == {1}
    assert len(claimed) == ROUNDS * THREADS


def test_an_experiment_is_begun_by_one_of_several_workers():
    for _ in range(ROUNDS):
        stored = make.experiment(make.attached(f"db{next(NUMBER)}"))
        workers = [make.worker() for _ in range(THREADS)]
        found = at_once(*[partial(lifecycle.begin, stored.pk, worker, [f"host of {stored.pk}"]) for worker in workers])
        (holder,) = [one.worker for one in found if one is not None]
        stored.refresh_from_db()
        assert (stored.state, stored.worker) == ("running", holder)
    assert HostLease.objects.count() == ROUNDS


def test_a_host_is_leased_once_without_a_deadlock():
    """Each names the hosts in another order."""
    server, hosts = make.attached(), [f"10.0.0.{n}" for n in range(8)]
    for _ in range(ROUNDS):
        waiting = [make.experiment(server) for _ in range(THREADS)]
        orders = [hosts, hosts[::-1], hosts[3:] + hosts[:3], hosts[5:] + hosts[:5]]
        found = at_once(
            *[
                partial(lifecycle.begin, one.pk, make.worker(), order)
                for one, order in zip(waiting, orders, strict=True)
            ]
        )
        (running,) = [one for one in found if one is not None]
        assert set(HostLease.objects.values_list("experiment", flat=True)) == {running.pk}
        assert [one.state for one in map(refreshed, waiting)].count("queued") == THREADS - 1
        lifecycle.finish(running, "done")
    assert not HostLease.objects.exists()


def test_a_host_is_measured_or_put_back():
    server = make.attached()
    for _ in range(ROUNDS):
        unrestored, new = make.experiment(server), make.experiment(server)
        unrestored.state = "failed"
        unrestored.save()

        def put_back(unrestored=unrestored):
            with leases.to_restore(server, unrestored) as free:
                return HostLease.objects.get().experiment_id == unrestored.pk if free else None

        restored, began = at_once(put_back, partial(lifecycle.begin, new.pk, make.worker(), leases.hosts_of(server)))
        assert restored in (True, None) and not isinstance(began, Exception)
        assert restored or began
        if began:
            lifecycle.finish(began, "done")
        HostLease.objects.all().delete()


def test_a_cell_claimed_while_its_experiment_ends_does_not_stay_running():
    """A claim and the end of the experiment, at once: the cell was claimed before, and is interrupted, or never."""
    for _ in range(ROUNDS):
        experiment = begun(cells=1)
        ended, cell = at_once(
            partial(lifecycle.finish, experiment, "interrupted"), partial(claiming.claim, experiment.cells, experiment)
        )
        assert ended is True
        assert experiment.cells.get().state == ("waiting" if cell is None else "interrupted")


def test_an_experiment_is_resumed_once():
    for _ in range(ROUNDS):
        experiment = begun(cells=4)
        claiming.claim(experiment.cells, experiment)
        lifecycle.finish(experiment, "interrupted")
        found = at_once(*[partial(queue_unfinished, experiment)] * THREADS)
        assert found.count(None) == 1 and all(isinstance(one, PlanError) for one in found if one is not None)
        assert set(experiment.cells.values_list("state", flat=True)) == {"waiting"}


def test_ending_and_resuming_do_not_wait_for_each_other():
    for _ in range(ROUNDS):
        experiment = begun(cells=4)
        claiming.claim(experiment.cells, experiment)
        ended, resumed = at_once(
            partial(lifecycle.finish, experiment, "interrupted"),
            partial(queue_unfinished, experiment),
        )
        assert ended is True and (resumed is None or isinstance(resumed, PlanError))


def test_equal_environments_share_one_row():
    for number in range(ROUNDS):
        found = at_once(*[partial(storing_runs.environment_row, {"host": {"number": number}})] * THREADS)
        assert len({row.pk for row in found}) == 1
    assert Environment.objects.count() == ROUNDS


def test_a_measurement_is_stored_once_also_when_its_answer_was_lost():
    experiment = begun(cells=1)
    cell, done, place = claiming.claim(experiment.cells, experiment), make.measurement(), make.environment()
    first = storing_runs.save_run(cell, done, place, None)
    assert storing_runs.save_run(cell, done, place, None) == first, "the same measurement again"
    assert storing_runs.save_run(cell, make.measurement(), place, None) is None, "another one"


def test_an_experiment_whose_begin_was_not_answered_is_ours():
    stored, worker, mark = make.experiment(make.attached()), make.worker(), uuid4()
    assert lifecycle._begin(stored.pk, worker, {"h"}, mark).worker == worker
    assert lifecycle._begin(stored.pk, worker, {"h"}, mark).worker == worker
    assert lifecycle._begin(stored.pk, worker, {"h"}, uuid4()) is None, "notified twice"


def test_a_claim_whose_answer_was_lost_is_found_again():
    experiment = begun(cells=2)
    cell = claiming.claim(experiment.cells, experiment)
    assert claiming._claim(experiment.cells.all(), experiment, cell.started_at) == cell
    assert experiment.cells.filter(state="running").count() == 1


def refreshed(row):
    row.refresh_from_db()
    return row
