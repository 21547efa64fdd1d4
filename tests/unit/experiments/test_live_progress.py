"""What the live page is told: the seconds of the cell that runs, each once, and a time left that knows no pauses."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from dashboard.records.experiments import live as live
from dashboard.records.experiments import queries
from dashboard.records.experiments.live import LiveSeconds
from dashboard.records.experiments.models import Cell, Experiment, Trial
from dashboard.records.servers.models import Server
from tests.unit.results import factory
from workers.bench.crash_review import trial_s
from workers.bench.plan import CrashPlan, Variant

pytestmark = pytest.mark.django_db
NOW = timezone.now()
SECONDS = tuple((t, 100.0 * t, 1.5) for t in (1, 2, 3))


@pytest.fixture
def server():
    return Server.objects.create(name="box", kind="sandbox", build="system-mariadb")


@pytest.fixture
def experiment(server):
    made = Experiment.objects.create(
        name="one",
        plan=factory.plan([server]).as_dict(),
        seed=1,
        state="running",
        estimate_s=1000,
        started_at=NOW - timedelta(days=3),
    )
    for position in range(8):
        fields = {"server": server, "block": 0, "variant": "1/1", "workload": "w", "threads": 1, "repeat": 1}
        Cell.objects.create(experiment=made, position=position, **fields)
    return made


@pytest.fixture
def add_trials(experiment, server):
    def add(count, kind="power-loss"):
        first = experiment.trials.count()
        for position in range(first, first + count):
            fields = {"server": server, "variant": "0/0", "kind": kind, "repeat": 1, "seed": 1}
            Trial.objects.create(experiment=experiment, position=position, **fields)

    return add


@pytest.fixture
def telling(monkeypatch):
    """`telling(at)`: Redis tells of the cell that was claimed then."""

    def tell(claimed_at):
        whole = LiveSeconds(live.mark(claimed_at), "series", False, 0, SECONDS)

        def latest(pk, have=live.FROM_START):
            since = have.count if have.series == "series" else 0
            return LiveSeconds(whole.mark, whole.series, False, since, SECONDS[since:])

        monkeypatch.setattr(live, "latest", latest)

    return tell


def over(rows, took_s, ended_at):
    rows.model.objects.filter(pk__in=[row.pk for row in rows]).update(
        state="done", started_at=ended_at - timedelta(seconds=took_s), ended_at=ended_at
    )


def run(rows):
    first = rows.order_by("position").first()
    type(first).objects.filter(pk=first.pk).update(state="running", started_at=NOW)


def test_the_running_cell_is_shown_with_its_seconds(experiment, telling):
    run(experiment.cells)
    telling(NOW)
    now = queries.live_state(experiment)
    assert now["cell"]["variant"] == "1/1"
    assert [second["tps"] for second in now["seconds"]] == [100, 200, 300]


def test_a_running_trial_is_not_shown_with_the_seconds_of_the_last_cell(experiment, add_trials, telling):
    over(experiment.cells.all(), 10, NOW)
    add_trials(2)
    run(experiment.trials)
    telling(NOW - timedelta(seconds=10))
    now = queries.live_state(experiment)
    assert (now["cell"]["variant"], now["cell"]["workload"]) == ("0/0", "crash: power loss")
    assert (now["seconds"], now["warming"]) == ([], False)


def test_a_cell_is_not_shown_with_the_seconds_of_its_earlier_attempt(experiment, telling):
    run(experiment.cells)
    telling(NOW - timedelta(seconds=30))
    assert queries.live_state(experiment)["seconds"] == []


def test_the_time_left_does_not_count_the_days_before_a_resume(experiment):
    over(experiment.cells.filter(position__lt=3), 10, NOW - timedelta(days=3))
    over(experiment.cells.filter(position=3), 10, NOW)
    assert queries.live_state(experiment)["left_s"] == pytest.approx(4 * 10)


def test_trials_have_a_pace_of_their_own(experiment, add_trials):
    add_trials(5)
    over(experiment.cells.all(), 60, NOW)
    over(experiment.trials.filter(position__lt=3), 4, NOW)
    assert queries.live_state(experiment)["left_s"] == pytest.approx(2 * 4)


def planned_s(kind):
    return trial_s(CrashPlan(), kind, Variant("0/0", {}))


def test_the_plan_says_how_long_the_first_ones_take_together_with_the_ended_ones(experiment):
    assert queries.live_state(experiment)["left_s"] == pytest.approx(8 * 1000 / 8)
    over(experiment.cells.filter(position__lt=2), 1, NOW)
    assert queries.live_state(experiment)["left_s"] == pytest.approx(6 * (1 + 1 + 1000 / 8) / 3)


def test_the_pace_of_kills_is_not_that_of_loads_of_which_each_crash_point_is_tried(experiment, add_trials):
    """On a host that needs as long as planned, and on one that needs four times as long."""
    add_trials(4, "process-kill")
    add_trials(3, "every-crash-point")
    over(experiment.cells.all(), 60, NOW)
    kills, recorded = planned_s("process-kill"), planned_s("every-crash-point")
    for slower in (1, 4):
        over(experiment.trials.filter(kind="process-kill"), slower * kills, NOW)
        assert queries.live_state(experiment)["left_s"] == pytest.approx(3 * slower * recorded)
    over(experiment.trials.filter(kind="every-crash-point", position=4), 300, NOW)
    assert queries.live_state(experiment)["left_s"] > 2 * (300 + recorded) / 2


def earlier(server, kind, took_s, site="", **fields):
    """A done trial of another experiment."""
    other = Experiment.objects.create(name="earlier", plan=factory.plan([server]).as_dict(), seed=1, **fields)
    there = Server.objects.create(name="far", kind="sandbox", build="system-mariadb", site=site) if site else server
    began = {"state": "done", "started_at": NOW - timedelta(seconds=took_s), "ended_at": NOW}
    Trial.objects.create(
        experiment=other, position=0, server=there, variant="1/1", kind=kind, repeat=1, seed=1, **began
    )


def test_before_its_first_trial_an_experiment_expects_what_earlier_ones_took(experiment, server, add_trials):
    add_trials(2, "every-crash-point")
    over(experiment.cells.all(), 60, NOW)
    recorded = planned_s("every-crash-point")
    now = queries.live_state(experiment)
    assert (now["left_s"], now["left_is_least"]) == (pytest.approx(2 * recorded), True)
    earlier(server, "every-crash-point", 9 * recorded, site="far")
    earlier(server, "every-crash-point", 9 * recorded, state="done", imported_at=NOW, imported_digest="x")
    earlier(server, "process-kill", 9 * recorded)
    assert queries.live_state(experiment)["left_is_least"], "they say nothing of these trials on this host"
    earlier(server, "every-crash-point", 4 * recorded)
    now = queries.live_state(experiment)
    assert (now["left_s"], now["left_is_least"]) == (pytest.approx(2 * 4 * recorded), False)


def test_measurements_alone_are_no_least(experiment):
    assert not queries.live_state(experiment)["left_is_least"]


def test_a_trial_that_runs_longer_than_planned_is_no_promise_of_its_end(experiment, add_trials):
    add_trials(3, "every-crash-point")
    over(experiment.cells.all(), 60, NOW)
    began = timezone.now() - timedelta(seconds=500)
    experiment.trials.filter(position=0).update(state="running", started_at=began)
    assert queries.live_state(experiment)["left_s"] == pytest.approx(2 * 500, abs=60)


def test_a_poll_is_sent_what_it_does_not_have(experiment, telling, client_in):
    run(experiment.cells)
    telling(NOW)
    address = reverse("experiments:progress", args=[experiment.pk])
    more = client_in.get(address, {"series": "series", "have": "2"}).json()
    assert (more["since"], [second["t_s"] for second in more["seconds"]]) == (2, [3])
    for have in ("x", "-1", "9" * 5000, ""):
        assert client_in.get(address, {"series": "series", "have": have}).json()["since"] == 0
