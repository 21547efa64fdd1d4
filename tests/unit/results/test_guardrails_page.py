"""What a page says of the guardrails, and of the host of a run."""

from dataclasses import asdict
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.charts.host import NO_DISK, NO_FLUSHES, host
from dashboard.findings.document import everything
from dashboard.records.experiments import watches
from dashboard.records.holds.models import PendingRestore
from dashboard.records.sharing.actions import share
from tests.unit.results import factory
from workers.guardrails.limit import Level, Limit, Trip, WatchRecord

pytestmark = pytest.mark.django_db
LAG = Limit("replica_1_lag_s", "replica lag of db8", "s", 10)
DISK = Limit("free_disk_gb", "free disk space of /var/lib/mysql", "GB", 2, at_least=True)
SAMPLED = {"at_s": [100.0, 101.0, 102.0], LAG.key: [0.0, 11.0, 12.0], DISK.key: [50.0, 49.0, None]}
HOST_COLUMNS = {"t_s": [1, 2], "tps": [10, 20], "cpu_s": [1.5, 2], "run_queue": [3, 4], "disk_busy_ms": [500, 250]}


def watched(state="interrupted", *, restored=True, trips=True):
    experiment = factory.experiment(measured=2, state=state)
    at = timezone.now() - timedelta(minutes=1)
    trip = Trip(LAG, Level(12.0), at.timestamp()) if trips else None
    record = WatchRecord((LAG, DISK), ("The lag of the replica db9:3306 is not watched.",), SAMPLED, trip)
    watches.store(experiment, factory.server(), record)
    PendingRestore.objects.create(
        server=factory.server(), experiment=experiment, kind="schema", name="durascope_1",
        noted_at=at - timedelta(seconds=5), restored_at=at + timedelta(seconds=0.8) if restored else None,
    )  # fmt: skip
    PendingRestore.objects.create(  # of the run that a person resumed later
        server=factory.server(), experiment=experiment, kind="schema", name="durascope_2",
        noted_at=at + timedelta(hours=1),
    )  # fmt: skip
    return experiment


def text(client, experiment):
    return " ".join(client.get(reverse("results:page", args=[experiment.pk])).text.split())


def test_the_page_says_which_limit_stopped_the_load_and_that_everything_is_restored(client_in):
    said = text(client_in, watched())
    assert "UTC replica lag of db8 was 12 s, the limit is 10 s. Everything was restored 800 ms later." in said
    assert "at least 2 GB" in said and "49 GB" in said and "replica db9:3306 is not watched" in said


def test_a_change_that_is_not_restored_is_said(client_in):
    assert "Not everything is restored yet" in text(client_in, watched(restored=False))


def test_a_calm_server_passed_no_limit(client_in):
    assert "No limit was passed." in text(client_in, watched("done", trips=False))


def test_a_guest_sees_no_replicas_and_folders(client):
    experiment = watched()
    _, token = share(None, experiment)
    said = client.get(reverse("sharing:show", args=[token])).text
    assert "db8" not in said and "/var/lib/mysql" not in said


def test_the_watched_figures_are_in_the_document():
    (one,) = everything(watched())["watches"]
    assert one["data"]["sampled"] == SAMPLED and one["data"]["trip"]["limit"] == asdict(LAG)


def test_the_host_is_drawn_beside_the_commits_with_a_scale_for_each_figure():
    chart = host(HOST_COLUMNS, "commits", "")
    assert [one.panel for one in chart.series] == [
        "commits per second", "cores in use", "run queue", "disk utilisation (%)",
    ]  # fmt: skip
    assert chart.payload()["own_scales"] is True
    assert chart.table.rows[0] == (1, 10, 1.5, 3, None, None, None, 50)
    assert chart.note.endswith(f"all other programs. {NO_DISK}")
    assert host({**HOST_COLUMNS, "disk_writes": [1]}, "commits", "").note.endswith(NO_FLUSHES)
    assert host({**HOST_COLUMNS, "disk_writes": [1], "disk_flushes": [1]}, "commits", "").note.endswith("programs.")


def test_a_server_elsewhere_has_the_reason_instead_of_the_host():
    chart = host({"t_s": [1], "tps": [10]}, "commits", "The server is not on this host.")
    assert chart.empty == "The server is not on this host." and not chart.series
