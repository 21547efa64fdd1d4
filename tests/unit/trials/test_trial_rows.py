"""A trial on its way through the database, without a crash."""

import numpy as np
import pytest

from dashboard.records.experiments import actions, claiming, lifecycle, storing_trials
from dashboard.records.experiments.actions import queue_unfinished
from dashboard.records.experiments.models import Environment, Experiment, Trial
from dashboard.records.fleet.models import Worker
from dashboard.records.servers.models import Server
from tests.unit.crash.recorded_states import state, story
from workers.bench import recipes
from workers.conducting.conduct import conduct
from workers.crash.evidence import BinlogSeen, Evidence, ReplicaSeen, Seen
from workers.crash.points.story import PointsResult
from workers.crash.setup_and_result import LostWork, TrialResult, TrialStep
from workers.crash.transactions import key
from workers.crash.verdict import CheckResult
from workers.errors import PlanError

ENGINE = np.array([key(0, n) for n in (1, 2, 3)], dtype=np.int64)
BINLOG = np.array([key(0, n) for n in (1, 2, 4)], dtype=np.int64)


@pytest.fixture
def experiment(db, monkeypatch):
    monkeypatch.setattr(actions, "notify_workers", lambda experiment_id: None)
    server = Server.objects.create(name="Sandbox", kind="sandbox", build="system-mariadb")
    overrides = {"trials": "2", "control_trials": "1", "kinds": "process-kill,power-loss", "seed": "3"}
    plan = actions.plan_recipe(recipes.load("who-agrees-after-a-crash"), [server], overrides)
    return actions.create(plan, None)


def begun(experiment) -> Experiment:
    return lifecycle.begin(experiment.pk, Worker.objects.create(host="here", pid=1), ["here"])


def claimed(experiment) -> Trial:
    held = begun(experiment)
    return claiming.claim(held.trials, held)


def result(**changes) -> TrialResult:
    found = Evidence(
        engine=Seen(ENGINE),
        binlog=BinlogSeen(Seen(BINLOG), {"0-1-1": key(0, 1)}, "zeros", "binlog.000001:400", "bogus data"),
        replicas=(ReplicaSeen("after recovery", "stopped", "1236 bogus data", 4),),
        reissued=("0-1-1",),
    )
    kept = {"verdict": "invalid", "evidence": found, "sent": 5, "acknowledged": 4, "in_doubt": 1}
    checks = (CheckResult("lost-engine", "invalid", 1, "1 is gone.", ((0, 4),)),)
    loss = {"lost_engine": LostWork(1, 2.5), "lost_binlog": LostWork(1, 3.5)}
    steps = (TrialStep("load", 0.1, 2.0),)
    return TrialResult(**{**kept, "checks": checks, "steps": steps, **loss, **changes})


def test_the_plan_draws_every_trial_and_its_controls(experiment):
    kinds = list(experiment.trials.values_list("kind", flat=True))
    assert kinds.count("process-kill") == kinds.count("power-loss") == 6 * 2
    assert kinds.count("lying-disk") == kinds.count("graceful-restart") == 1
    assert len(set(experiment.trials.values_list("seed", flat=True))) == len(kinds)
    assert set(experiment.trials.filter(kind="lying-disk").values_list("variant", flat=True)) == {"1/1"}


def test_a_trial_is_claimed_once(experiment):
    held = begun(experiment)
    first, second = claiming.claim(held.trials, held), claiming.claim(held.trials, held)
    assert first.pk != second.pk
    assert (first.position, second.position) == (0, 1)


def test_the_result_of_a_trial_is_stored(experiment):
    trial = claimed(experiment)
    place = Environment.objects.create(digest="x", data={})
    assert storing_trials.save(trial, result(), place)
    trial.refresh_from_db()
    assert (trial.state, trial.verdict, trial.lost_engine, trial.lost_binlog_ms) == ("done", "invalid", 1, 3.5)
    data = trial.evidence.data
    assert data["sets"] == {
        "sent": 5, "acknowledged": 4, "in_doubt": 1, "engine": 3, "binlog": 3,
        "engine_and_binlog": 2, "acknowledged_in_engine": 3, "acknowledged_in_binlog": 3,
        "acknowledged_in_neither": None,
    }  # fmt: skip
    assert data["checks"][0]["offenders"] == [[0, 4]]
    assert data["replicas"][0]["error"] == "1236 bogus data"
    assert data["reissued"] == ["0-1-1"]


def test_a_trial_that_could_not_be_completed_is_unknown_and_says_where(experiment):
    trial = claimed(experiment)
    failed = TrialResult(failed_at="recovery", error="the server did not start")
    assert storing_trials.save(trial, failed, Environment.objects.create(digest="x", data={}))
    trial.refresh_from_db()
    assert (trial.verdict, trial.lost_engine, trial.error) == ("unknown", None, "recovery: the server did not start")
    assert trial.evidence.data["sets"]["engine"] is None


def recorded():
    return PointsResult(verdict="invalid", points=story(state(0.1)), archives={1: b"first", 2: b"second"})


def test_kept_crash_points_are_stored_with_the_trial(experiment):
    trial = claimed(experiment)
    assert storing_trials.save(trial, recorded(), Environment.objects.create(digest="x", data={}))
    assert {one.number: bytes(one.archive) for one in trial.crash_points.all()} == recorded().archives


@pytest.mark.parametrize("found", [result(), recorded()], ids=["crash", "recorded load"])
def test_a_trial_that_was_taken_away_is_not_overwritten(experiment, found):
    trial = claimed(experiment)
    Trial.objects.filter(pk=trial.pk).update(state="interrupted")
    assert not storing_trials.save(trial, found, Environment.objects.create(digest="x", data={}))
    assert not trial.crash_points.exists()
    trial.refresh_from_db()
    assert (trial.state, trial.verdict) == ("interrupted", "")


def test_a_repeated_trial_has_the_same_seed(experiment):
    trial = experiment.trials.get(position=0)
    Experiment.objects.filter(pk=experiment.pk).update(state="done")
    again = actions.repeat_trial(trial, None)
    assert (again.seed, again.kind, again.variant, again.repeat_of) == (trial.seed, trial.kind, trial.variant, trial)
    experiment.refresh_from_db()
    assert experiment.state == "queued"


def test_a_trial_is_not_repeated_while_its_experiment_runs(experiment):
    before = experiment.trials.count()
    with pytest.raises(PlanError, match="running or queued"):
        actions.repeat_trial(experiment.trials.get(position=0), None)
    assert experiment.trials.count() == before


def test_resuming_takes_up_interrupted_trials(experiment):
    trial = claimed(experiment)
    claiming.end(trial, Trial.State.INTERRUPTED)
    Experiment.objects.filter(pk=experiment.pk).update(state="interrupted")
    queue_unfinished(experiment)
    assert not experiment.trials.exclude(state="waiting").exists()


def test_no_task_is_sent_for_an_experiment_whose_plan_cannot_be_read(experiment):
    Experiment.objects.filter(pk=experiment.pk).update(plan={"threads": "many"})
    assert conduct(experiment.pk, Worker.objects.create(host="here", pid=1)) is None
    experiment.refresh_from_db()
    assert experiment.state == "failed"
    assert "not a plan" in experiment.error and experiment.fix
