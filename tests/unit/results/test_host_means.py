"""The server's host beside the result: means of each point, and why figures are missing."""

import pytest

from dashboard.charts.host import NO_DISK, NO_FLUSHES, REMOVED
from dashboard.records.experiments.models import Run
from tests.markup import flat
from tests.unit.results import factory

pytestmark = pytest.mark.django_db
ALL = {"cpu_s": 45, "run_queue": 3, "disk_writes": 600, "disk_written_bytes": 30 * 2**20, "disk_busy_ms": 7500,
       "disk_flushes": 300}  # fmt: skip


def watched(*totals, why=""):
    """An experiment of one point with three runs of 30 s, one for each of the totals."""
    one = factory.experiment({"1/1": 1000.0}, threads=(8,), repeats=len(totals))
    for run, figures in zip(Run.objects.filter(cell__experiment=one), totals, strict=True):
        told = [{"name": name, "value": value, "source": "host:/proc", "note": ""} for name, value in figures.items()]
        run.figures += told or [{"name": "", "value": None, "source": "host", "note": why}]
        run.save(update_fields=["figures"])
    return one


def shown(client, one):
    text = flat(client.get(f"/results/{one.pk}/parts/speed/").text)
    return text.partition("The server's host during the load</h3>")[2].partition("</section>")[0]


def numbers(part):
    return [one.partition("</td>")[0] for one in part.split('<td class="num">')[1:]]


def test_a_point_has_the_means_of_all_seconds_of_its_runs(client_in):
    part = shown(client_in, watched(ALL, {name: 3 * value for name, value in ALL.items()}))
    assert numbers(part) == ["8", "3", "6", "40", "20", "2.00 MiB", "50"]
    assert NO_FLUSHES not in part and NO_DISK not in part


def test_a_figure_that_a_run_lacks_has_no_column_and_its_reason(client_in):
    part = shown(client_in, watched(ALL, {name: value for name, value in ALL.items() if name != "disk_flushes"}))
    assert numbers(part) == ["8", "1.500", "3", "20", "1.00 MiB", "25"] and NO_FLUSHES in part
    part = shown(client_in, watched({"cpu_s": 60, "run_queue": 2}))
    assert numbers(part) == ["8", "2", "2"] and NO_DISK in part and NO_FLUSHES not in part


def test_without_a_host_the_reason_stands_there(client_in):
    part = shown(client_in, watched({}, why="The server is not on this host."))
    assert "<table" not in part and "The host was not watched: The server is not on this host." in part
    assert "its figures were not asked for" in shown(client_in, factory.experiment())


def test_a_run_whose_seconds_were_removed_says_so(client_in):
    one = watched(ALL)
    assert REMOVED in client_in.get(f"/results/cells/{one.cells.get().pk}/").text
