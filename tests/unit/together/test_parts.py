"""Who may take a part of a cell's load, and when nobody may any more."""

import threading

import pytest
from django.db import connection
from django.utils import timezone

from dashboard.records.experiments import claiming, leases, lifecycle
from dashboard.records.experiments.models import Cell, Experiment, Part
from dashboard.records.fleet.models import Worker
from dashboard.records.holds.models import HostLease
from tests.unit.bench.load_requests import request
from tests.unit.conducting import experiments as make
from workers.bench.load import LoadResult, LoadSecond
from workers.bench.merge import PartLoad, split
from workers.errors import Cancelled, TogetherError
from workers.together import joiner
from workers.together.shared_load import SharedLoad

pytestmark = pytest.mark.django_db


def joining(pid: int, host: str = "there") -> Worker:
    return Worker.objects.create(host=host, pid=pid)


@pytest.fixture
def measured():
    """(the experiment, its claimed cell, its worker)"""
    worker = make.worker()
    stored = make.experiment(make.attached())
    held = lifecycle.begin(stored.pk, worker, ["db"])
    return held, claiming.claim(held.cells, held), worker


def offered(measured, count: int = 3) -> list[Part]:
    _, cell, worker = measured
    return SharedLoad(cell, worker, count, print).offer(split(request(threads=8), count), "")


def take(part: Part, worker: Worker) -> Part | None:
    return joiner.claim(part.pk, worker, timezone.now())


def test_a_part_is_taken_once_and_its_host_is_leased(measured):
    _, first, second = offered(measured)
    one, other = joining(1), joining(2)
    assert take(first, one).by == "there:1"
    assert take(first, other) is None
    assert take(second, other) is not None
    assert HostLease.objects.get(host=leases.of_worker("there")).experiment == measured[0]


def test_a_process_takes_one_part_of_a_cell_only_also_as_a_new_row(measured):
    _, first, second = offered(measured)
    assert take(first, joining(1)) is not None
    assert take(second, joining(1)) is None
    assert take(second, measured[2]) is None, "the worker that runs the experiment has the first part"


def test_an_answer_that_was_lost_is_found_again(measured):
    _, first, _ = offered(measured)
    worker, mark = joining(1), timezone.now()
    assert joiner.claim(first.pk, worker, mark) == joiner.claim(first.pk, worker, mark) == first


@pytest.mark.parametrize("end", ["ended", "cancelled", "claimed anew", "dismissed"])
def test_no_part_of_a_cell_that_is_over_is_taken(measured, end):
    experiment, cell, worker = measured
    part = offered(measured)[1]
    if end == "ended":
        lifecycle.finish(experiment, "failed")
    elif end == "cancelled":
        Experiment.objects.filter(pk=experiment.pk).update(cancel_asked=True)
    elif end == "claimed anew":
        Cell.objects.filter(pk=cell.pk).update(started_at=timezone.now())
    else:
        SharedLoad(cell, worker, 3, print).dismiss()
    assert take(part, joining(1)) is None


def test_a_host_on_which_another_experiment_measures_does_not_join(measured):
    part = offered(measured)[1]
    HostLease.objects.create(host=leases.of_worker("there"), experiment=make.experiment(make.attached("db2")))
    assert take(part, joining(1)) is None
    assert take(part, joining(1, "elsewhere")) is not None


def test_parts_of_an_earlier_claim_are_replaced_and_a_late_worker_offers_none(measured):
    old = offered(measured)
    _, cell, _ = measured
    assert {one.pk for one in offered(measured)}.isdisjoint(one.pk for one in old)
    Cell.objects.filter(pk=cell.pk).update(started_at=timezone.now())
    with pytest.raises(Cancelled):
        offered(measured)
    assert Part.objects.count() == 3


def test_a_result_of_a_part_that_was_stopped_is_not_stored(measured):
    part = take(offered(measured)[1], joining(1))
    Part.objects.filter(pk=part.pk).update(state=Part.State.FAILED, error="It was stopped.")
    joiner._fail(part, TogetherError("late"))
    part.refresh_from_db()
    assert (part.state, part.error) == ("failed", "It was stopped.")


def test_the_stored_result_of_a_part_is_read_as_it_was(measured):
    _, first, _ = offered(measured)
    taken = take(first, joining(1))
    second = LoadSecond(t_s=1.0, tps=3.0, qps=6.0, writes=3.0, errors=0.0, p95_ms=None)
    load = LoadResult(("sysbench",), 3, 1, 1.0, (second,), ((1.5, 2), (2.5, 1)), 1.0, 2.0, 0, "raw\n", {"p95": 2.5})
    Part.objects.filter(pk=taken.pk).update(state="running")
    joiner.save(taken, PartLoad(taken.by, 0.5, 0.01, load))
    assert Part.objects.get(pk=taken.pk).load == PartLoad(taken.by, 0.5, 0.01, load)


def test_no_password_is_in_a_part(measured):
    part = offered(measured)[1]
    assert "s3cret" not in str(part.request) and "target" not in part.request


def test_a_load_stops_when_its_part_is_not_wanted_any_more(measured):
    part = take(offered(measured)[1], joining(1))
    clock = iter(range(100))
    stopped = joiner.stopped(part, lambda: next(clock))
    assert not stopped()
    Part.objects.filter(pk=part.pk).update(state=Part.State.STOPPING)
    assert stopped()


def test_too_few_workers_are_told_by_name(measured):
    _, cell, worker = measured
    joining(1), joining(2, "elsewhere")
    with pytest.raises(TogetherError, match=r"needs 4 workers\. Alive on site local: 3 \(.*elsewhere:2"):
        SharedLoad(cell, worker, 4, print).must_be_enough()
    SharedLoad(cell, worker, 3, print).must_be_enough()


def test_a_missing_part_of_the_load_is_named(measured):
    _, cell, worker = measured
    gathering = SharedLoad(cell, worker, 2, lambda activity: None, ready_s=0.0, send=lambda *_, **__: None)
    gathering.offer(split(request(threads=8), 2), "")
    with pytest.raises(TogetherError, match=r"part 2 \(not started\) was missing"):
        gathering.gather(lambda: False)


def test_another_parts_failure_is_this_ones_reason(measured):
    _, cell, worker = measured
    gathering = SharedLoad(cell, worker, 3, print)
    _, first, second = gathering.offer(split(request(threads=8), 3), "")
    assert gathering.look() is None
    Part.objects.filter(pk=first.pk).update(worker=Worker.objects.create(host="x", pid=9, ended_at=timezone.now()))
    assert "ended during its part" in str(gathering.look())
    Part.objects.filter(pk=second.pk).update(state=Part.State.FAILED, by="there:7", error="sysbench is not installed.")
    assert "Part 3 of 3, on there:7, failed: sysbench is not installed." in str(gathering.look())


@pytest.mark.django_db(transaction=True)
def test_of_two_who_race_for_a_part_one_gets_it(measured):
    part, won = offered(measured, 2)[1], []
    workers, both = [joining(1), joining(2)], threading.Barrier(2)

    def race(worker):
        both.wait()
        if take(part, worker):
            won.append(worker)
        connection.close()

    racing = [threading.Thread(target=race, args=[worker]) for worker in workers]
    for one in racing:
        one.start()
    for one in racing:
        one.join()
    part.refresh_from_db()
    assert [part.worker] == won
