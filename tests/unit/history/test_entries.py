"""What an ended experiment leaves in the history."""

from datetime import timedelta
from importlib import import_module

import pytest
from django.apps import apps

from dashboard.findings import conclusion
from dashboard.findings.analysis import analysis_of
from dashboard.findings.shown import shown
from dashboard.history import entries, update
from dashboard.records.experiments.kind_names import title
from dashboard.records.experiments.models import Experiment
from dashboard.records.history import queries
from dashboard.records.history.models import Entry, Noted, Track
from tests.unit.history import nights
from tests.unit.results import factory, trials
from workers.topology.faults import FAULTS

pytestmark = pytest.mark.django_db


def test_each_point_becomes_an_entry_with_the_figures_of_the_result():
    experiment = factory.experiment()
    entries.note(experiment)
    assert Entry.objects.count() == 3 * 2  # variants, threads
    point = next(p for p in analysis_of(experiment).points if (p.variant, p.threads) == ("1/1", 8))
    entry = Entry.objects.get(track__variant="1/1", track__says__contains="8 threads")
    assert (entry.tps, entry.tps_lo, entry.tps_hi) == (point.tps, point.lo, point.hi)
    assert entry.p99_ms == point.latency_ms["p99"]
    assert entry.fsyncs == pytest.approx(sum(one.value for one in point.fsyncs.values()))
    assert entry.fsyncs_from.startswith("binlog: trace:binlog_fsyncs; data:")
    assert entry.at == experiment.started_at
    assert entry.environment.data["server"]["version"] == "10.11.6-MariaDB"


def test_the_same_plan_another_night_is_the_same_track():
    for _ in range(2):
        entries.note(factory.experiment())
    assert Track.objects.count() == 6
    assert Entry.objects.count() == 12


@pytest.mark.parametrize("other", [{"threads": (1, 16)}, {"workloads": ("insert",)}, {"seconds": 30}])
def test_another_load_is_another_track(other):
    entries.note(factory.experiment(threads=(1, 8)))
    before = Track.objects.count()
    entries.note(factory.experiment(**{"threads": (1, 8), **other}))
    assert (Track.objects.count() > before) == (other != {"seconds": 30})  # how long a run came out is no condition


def test_a_name_that_stands_for_other_settings_is_another_track():
    one, other = factory.experiment(), factory.experiment()
    other.plan["variants"][0]["settings"] = {"sync_binlog": "0"}
    other.save()
    for experiment in (one, other):
        entries.note(experiment)
    assert Track.objects.filter(variant="1/1").count() == 4  # two settings, two numbers of threads


def test_crashes_are_the_mean_of_trials_that_tell_without_controls_and_repeats():
    experiment = trials.experiment({"2/0": {"power-loss": [(100, 50), (300, 0), None], "lying-disk": [(9, 9)]}})
    server_id = experiment.plan["targets"][0]["server_id"]
    again = experiment.trials.filter(kind="power-loss").first()
    trials.trial(experiment, server_id, "2/0", "power-loss", 9, (9000, 9000), repeat_of=again)
    entries.note(experiment)
    entry = Entry.objects.get(track__kind="crash")
    assert entry.track.says.startswith("power loss, ")
    assert (entry.lost_engine, entry.lost_binlog) == (200.0, 25.0)


@pytest.mark.parametrize(
    ("fault", "lost", "missing"), [("primary-host-loss", [17, 86, 0], 34 + 1 / 3), ("replica-kill", [0, 0, 0], 8.0)]
)
def test_failovers_are_tracks_of_their_own_with_the_write_outage(fault, lost, missing):
    experiment = trials.experiment({"2/0": {fault: [(one, 0) for one in lost]}}, replica=False)
    experiment.trials.update(lost_binlog=None, lost_replica=8)
    experiment.trials.filter(repeat=1).update(recovery_s=1.2)
    experiment.trials.filter(repeat=2).update(recovery_s=None)  # clients of the old primary went on
    entries.note(experiment)
    entry = Entry.objects.get(track__kind="failover")
    assert entry.track.says.startswith(f"{title(fault)}, ")
    assert entry.lost_engine == pytest.approx(missing)
    assert (entry.outage_ms, entry.lost_binlog) == (900.0, None)


def test_older_tracks_of_failovers_become_tracks_of_their_kind():
    migration = import_module("dashboard.records.history.migrations.0002_failovers")
    for kind in ("power-loss", *(kind for kind in FAULTS if kind.replace("-", " ") in migration.FAULTS)):
        entries.note(trials.experiment({"2/0": {kind: [(1, 1)]}}, replica=False))
        newest = Track.objects.exclude(kind="load").latest("pk")
        Track.objects.filter(pk=newest.pk).update(says=f"{kind.replace('-', ' ')}, 16 clients")  # as they were named
    meant = dict(Track.objects.values_list("pk", "kind"))
    Track.objects.filter(kind="failover").update(kind="crash")
    migration.move(apps, None)
    assert dict(Track.objects.values_list("pk", "kind")) == meant
    assert set(meant.values()) == {"load", "crash", "failover"}


def test_trials_whose_detector_failed_do_not_count():
    experiment = trials.experiment({"1/1": {"power-loss": [(0, 0)], "lying-disk": [(0, 0)]}})
    entries.note(experiment)
    assert not Entry.objects.filter(track__kind="crash").exists()


def test_the_measured_points_of_a_failed_experiment_are_entries():
    entries.note(factory.experiment(measured=2, state="failed"))
    assert 0 < Entry.objects.count() <= 2


def keep(rounds=1):
    for _ in range(rounds):
        update.keep(nights.FIRST, lambda pk: pytest.fail("nothing is measured again"), round_s=60)


def test_a_round_notes_what_ended_once():
    factory.experiment()
    keep(2)
    assert (Noted.objects.count(), Entry.objects.count()) == (1, 6)


def test_a_round_ends_within_5_seconds_and_the_next_one_goes_on(monkeypatch):
    """A note takes a second here."""
    now, note = [0.0], entries.note

    def takes_a_second(experiment):
        now[0] += 1
        note(experiment)

    monkeypatch.setattr(update.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(entries, "note", takes_a_second)
    for _ in range(7):
        factory.experiment(measured=2)
    assert not update.keep(nights.FIRST, print) and Noted.objects.count() == now[0] == 5
    assert update.keep(nights.FIRST, print) and Noted.objects.count() == 7


def test_a_headline_of_an_older_version_is_written_in_todays_words():
    experiment = factory.experiment()
    Experiment.objects.filter(pk=experiment.pk).update(finding="old words")
    keep()
    experiment.refresh_from_db()
    assert experiment.finding == conclusion.in_brief(experiment, shown(experiment))
    assert not conclusion.in_old_words().exists()


@pytest.mark.parametrize("state", ["queued", "running"])
def test_an_experiment_that_is_not_over_has_no_entries(state):
    factory.experiment(state=state)
    keep()
    assert Entry.objects.count() == 0


def test_the_entries_of_a_resumed_experiment_are_replaced():
    experiment = factory.experiment(measured=6, state="interrupted")
    keep()
    before = set(Entry.objects.values_list("pk", flat=True))
    where, cells = factory.environment_row(), experiment.cells.filter(state="waiting")
    for cell in cells:
        factory.store([factory.run(cell, [1000.0] * 30, where, experiment.probes.get())])
    Experiment.objects.update(state="done", ended_at=experiment.ended_at + timedelta(hours=1))
    keep()
    assert before < set(Entry.objects.values_list("pk", flat=True)) or Entry.objects.count() == len(before)
    assert set(Entry.objects.values_list("repeats", flat=True)) == {3}


def test_an_unreadable_experiment_does_not_stop_the_entries_of_others(caplog):
    broken, sound = factory.experiment(), factory.experiment()
    Experiment.objects.filter(pk=broken.pk).update(plan={"of": "another time"})
    keep()
    assert Noted.objects.get(experiment=broken).problem
    assert Entry.objects.filter(experiment=sound).count() == 6
    assert f"history of experiment {broken.pk}" in caplog.text


def test_no_entries_are_made_while_this_host_measures():
    from dashboard.records.fleet.models import Worker

    factory.experiment()
    running = factory.experiment(state="running")
    Experiment.objects.filter(pk=running.pk).update(worker=Worker.objects.create(host="here", pid=1))
    assert not update.keep(nights.FIRST, print, here="here")
    assert Entry.objects.count() == 0
    assert update.keep(nights.FIRST, print, here="elsewhere", round_s=60)
    assert Entry.objects.count() == 6


def resumed_while_it_is_noted(monkeypatch, experiment, failure=None):
    """Somebody resumes it between the look at the list and the last word."""
    measured = entries._measured

    def resume(noted, plan):
        Experiment.objects.filter(pk=experiment.pk).update(state="queued", ended_at=None)
        if failure:
            raise failure
        return measured(noted, plan)

    monkeypatch.setattr(entries, "_measured", resume)


@pytest.mark.parametrize("failure", [None, ValueError("of a version long gone")])
def test_an_experiment_resumed_during_its_entry_is_entered_at_its_next_end(monkeypatch, failure):
    experiment = factory.experiment()
    Experiment.objects.filter(pk=experiment.pk).update(ended_at=nights.FIRST)
    with monkeypatch.context() as meanwhile:
        resumed_while_it_is_noted(meanwhile, experiment, failure)
        keep()
    assert not Noted.objects.exists() and not Entry.objects.exists()
    Experiment.objects.filter(pk=experiment.pk).update(state="done", ended_at=nights.FIRST + timedelta(hours=1))
    keep()
    assert Noted.objects.get().problem == "" and Entry.objects.count() == 6


@pytest.mark.parametrize("meanwhile", [{"state": "queued", "ended_at": None}, {"deleted_at": nights.FIRST}])
def test_a_listed_experiment_that_was_resumed_or_deleted_does_not_stop_others(monkeypatch, meanwhile):
    gone, other = factory.experiment(), factory.experiment()
    Experiment.objects.filter(pk=gone.pk).update(ended_at=nights.FIRST)
    Experiment.objects.filter(pk=other.pk).update(ended_at=nights.FIRST)
    not_noted = queries.not_noted

    def listed():
        found = not_noted()
        ids = list(found.values_list("pk", flat=True))
        Experiment.objects.filter(pk=gone.pk).update(**meanwhile)
        return ListOf(ids, found)

    monkeypatch.setattr(queries, "not_noted", listed)
    keep()
    assert set(Noted.objects.values_list("experiment", flat=True)) == {other.pk}


class ListOf:
    """What was read a moment ago."""

    def __init__(self, ids, found):
        self.ids = ids
        self.filter = found.filter

    def values_list(self, *_, **__):
        return self.ids
