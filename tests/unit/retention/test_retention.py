"""Old data is thinned out; what results say, and links, stay the same."""

import io
from datetime import timedelta
from secrets import token_hex

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from dashboard.environment import KEEP_DAYS as DAYS
from dashboard.environment import keep_days
from dashboard.findings import conclusion
from dashboard.findings.analysis import analysis_of
from dashboard.records.audit.models import Event
from dashboard.records.experiments.models import Comment, Experiment, RunEvidence, Series, TrialEvidence
from dashboard.records.fleet.models import Worker
from dashboard.records.notifications.models import Delivery
from dashboard.records.retention import size
from dashboard.records.retention import thin_out as retention
from dashboard.records.retention.thin_out import SAMPLES, thin_out, would_thin
from dashboard.records.servers.models import Preflight
from dashboard.records.sharing.actions import revoke, share
from tests.unit.results import factory, trials
from workers.metrics.source import FIGURES

pytestmark = pytest.mark.django_db
NOW = factory.STARTED + timedelta(days=400)


@pytest.fixture
def old():
    one = trials.experiment({"1/1": {"power-loss": [(0, 0)]}, "2/0": {"power-loss": [(9, 4)]}}, threads=(1,), repeats=2)
    for series in Series.objects.all():
        series.columns |= {"cpu_s": [0.5] * 30, "redo_fsyncs": [7.0] * 30}
        series.save()
    conclusion.remember(one)
    return one


def said(one):
    """Computed anew."""
    Experiment.objects.filter(pk=one.pk).update(analysis={})
    fresh = Experiment.objects.get(pk=one.pk)
    return conclusion.sentences(fresh), conclusion.summary(fresh), analysis_of(fresh)


def thinned(now=NOW, days=DAYS):
    return {done.what: done.rows for done in thin_out(now, days, 60)}


def test_sentences_intervals_and_statistics_are_the_same_afterwards(old, client_in):
    before = said(old)
    assert thinned()["seconds of experiments"] == 1
    assert said(old) == before
    assert all(SAMPLES.isdisjoint(one.columns) for one in Series.objects.all())
    assert all({"t_s", "tps", "redo_fsyncs"} <= one.columns.keys() for one in Series.objects.all())
    assert not RunEvidence.objects.exclude(output="").exists() and not RunEvidence.objects.filter(histogram=[]).exists()
    texts = {one.trial.verdict: "log_lines" in one.data for one in TrialEvidence.objects.all()}
    assert texts == {"valid": False, "invalid": True}, "what lost commits keeps all its evidence"
    cell, trial = old.cells.first(), old.trials.get(verdict="valid")
    for page in (f"/results/{old.pk}/", f"/results/cells/{cell.pk}/", f"/results/trials/{trial.pk}/"):
        assert client_in.get(page).status_code == 200
    assert "were thinned out on" in client_in.get(f"/results/cells/{cell.pk}/").content.decode()
    assert client_in.get(f"/experiments/{old.pk}/export.zip").status_code == 200


def test_old_data_is_thinned_out_once_and_audited(old):
    thinned()
    assert Event.objects.get(did="thinned out").detail == {"seconds_of_experiments": 1, "raw_output_of_experiments": 1}
    assert not any(thinned().values()) and Event.objects.filter(did="thinned out").count() == 1
    Experiment.objects.update(ended_at=NOW + timedelta(days=1))
    assert thinned(NOW + timedelta(days=800))["seconds of experiments"] == 1, "it was resumed: new runs"


def test_samples_go_before_evidence_and_nothing_goes_early(old):
    assert not any(thinned(factory.STARTED + timedelta(days=100)).values())
    found = thinned(factory.STARTED + timedelta(days=200))
    assert (found["seconds of experiments"], found["raw output of experiments"]) == (1, 0)
    assert not any(thinned(NOW + timedelta(days=9000), dict.fromkeys(DAYS, 0)).values()), "0: for ever"


def baseline(one, _):
    Experiment.objects.filter(pk=one.pk).update(baseline_of="question")


def confirmed(one, _):
    Comment.objects.create(experiment=one, text="Right.", confirms=True)


def shared(one, admin):
    share(admin, one)


def compared(one, admin):
    share(admin, None, comparison="runs=1", compared=[one])


def imported(one, _):
    Experiment.objects.filter(pk=one.pk).update(imported_at=NOW)


@pytest.mark.parametrize("act", [baseline, confirmed, shared, compared, imported])
def test_experiments_that_people_rely_on_are_not_thinned(old, admin, act):
    act(old, admin)
    assert not any(thinned().values())
    assert all(one.columns["cpu_s"] for one in Series.objects.all())


@pytest.mark.parametrize("act", [baseline, confirmed, shared, compared])
def test_an_experiment_that_people_begin_to_rely_on_meanwhile_is_not_thinned(old, admin, monkeypatch, act):
    second = trials.experiment({"1/1": {"power-loss": [(0, 0)]}}, threads=(1,))
    for key, (what, mark, thin) in retention.MEASURED.items():

        def thin_first(pk, now, thin=thin):
            thin(pk, now)
            act(second, admin)

        monkeypatch.setitem(retention.MEASURED, key, (what, mark, thin_first if key == "samples" else thin))
    thinned()
    assert Experiment.objects.get(pk=old.pk).samples_thinned_at
    assert not Experiment.objects.exclude(samples_thinned_at=None, evidence_thinned_at=None).filter(pk=second.pk)


def test_a_share_link_opens_afterwards_and_keeps_nothing_once_it_is_revoked(old, admin):
    link, token = share(admin, old)
    other, _ = share(admin, old)
    assert not any(thinned().values())
    assert Client().get(f"/share/{token}/").status_code == 200
    for one in (link, other):
        revoke(admin, one)
    assert thinned()["seconds of experiments"] == 1


def test_the_dry_run_changes_nothing(old):
    told = io.StringIO()
    assert {one.what: one.rows for one in would_thin(NOW, DAYS)}["seconds of experiments"] == 1
    Experiment.objects.update(created_at=timezone.now() - timedelta(days=40))
    call_command("retention", "--dry-run", stdout=told)
    assert "seconds of experiments: kept for 180 days, due: 1" in told.getvalue()
    assert "A year at the rate of the last 30 days: 0 B." in told.getvalue()
    assert all(one.columns["cpu_s"] for one in Series.objects.all())


def test_old_tests_messages_and_workers_go_but_never_the_last_settings_of_a_server(old):
    server, ago = factory.server(), [NOW - timedelta(days=day) for day in (400, 300, 200)]
    reached = {"state": "done", "facts": {"flavour": "mariadb"}}
    first, last = (Preflight.objects.create(server=server, asked_at=at, done_at=at, **reached) for at in ago[:2])
    silent = Preflight.objects.create(server=server, asked_at=ago[2], done_at=ago[2], state="done")
    for state in ("sent", "waiting"):
        Delivery.objects.create(to="t", event="test", title="t", text="t", path="/", state=state, created_at=ago[0])
    named, other = (Worker.objects.create(host="h", pid=pid, beat_at=ago[0], ended_at=ago[0]) for pid in (1, 2))
    Experiment.objects.filter(pk=old.pk).update(worker=named)
    found = thinned()
    assert (found["connection tests"], found["messages"], found["workers that ended"]) == (1, 1, 1)
    assert set(Preflight.objects.all()) == {last, silent} and first.pk
    assert Delivery.objects.get().state == "waiting" and set(Worker.objects.all()) == {named} and other.pk


def test_the_columns_that_go_exist_and_the_settings_are_read():
    assert {"cpu_s", "disk_busy_ms"} <= SAMPLES and not SAMPLES & {"tps", "t_s", "errors", "binlog_commits"}
    assert {"qps", "writes", "p95_ms"} | FIGURES.keys() >= SAMPLES
    assert keep_days({"DURASCOPE_KEEP_SAMPLES": "7"}) == DAYS | {"samples": 7}
    with pytest.raises(ValueError, match=r"EVIDENCE is 'a year'\. Write a whole number from 0 \(no limit\) to 99999,"):
        keep_days({"DURASCOPE_KEEP_EVIDENCE": "a year"})


def test_the_size_of_a_year_follows_the_last_30_days(old, monkeypatch):
    assert size.used(NOW).a_year == 0, "nothing was measured lately"
    Experiment.objects.update(created_at=timezone.now())
    used = size.used(timezone.now() + timedelta(days=10))
    assert used.bytes > 0 and used.days == 10
    assert used.a_year == pytest.approx(used.bytes * 365 / 10, rel=0.001), "a younger database did not grow for 30 days"
    early = trials.experiment()
    Experiment.objects.filter(pk=early.pk).update(created_at=timezone.now() - timedelta(days=60))
    used = size.used(timezone.now() + timedelta(days=10))
    assert (used.days, used.a_year) == (30, round(used.bytes / 2 * 365 / 30))
    monkeypatch.setattr(size, "_bytes", lambda: 10**12)  # a terabyte
    assert size.used(timezone.now() + timedelta(days=10)).a_year == round(10**12 / 2 * 365 / 30)


def test_the_size_counts_what_is_not_yet_in_the_main_file_of_sqlite(old):
    before = size.used(NOW).bytes
    Comment.objects.create(experiment=old, text=token_hex(2_000_000))  # some fits into free pages
    assert size.used(NOW).bytes > before + 1_500_000


def test_from_less_than_a_week_no_size_of_a_year_is_told(client_in, old):
    Experiment.objects.update(created_at=timezone.now())
    assert size.used(timezone.now() + timedelta(days=6, hours=23)).a_year is None
    told = io.StringIO()
    call_command("retention", "--dry-run", stdout=told)
    for said in (told.getvalue(), client_in.get("/workers/").text):
        assert "Its growth is shown once the first experiment is 7 days old." in " ".join(said.split())
    Experiment.objects.all().delete()
    assert size.used(timezone.now()).a_year is None


def test_the_page_of_workers_says_it_to_administrators(client_in, old):
    assert "Durascope's own database" in client_in.get("/workers/").content.decode()
