"""The page of one trial: its sentence, its evidence to scale, and the button that repeats it."""

from dataclasses import asdict, replace

import pytest
from django.urls import reverse

from dashboard.charts.bars import sets, timeline
from dashboard.pages.results.crash.trial_page import context
from dashboard.pages.results.reader import reader_of
from dashboard.records.experiments import actions
from dashboard.records.experiments.trial_evidence import FoundSets
from tests.markup import flat
from tests.unit.results import trials
from workers.crash.outage import ClientOutage
from workers.crash.setup_and_result import TrialStep
from workers.errors import PlanError

pytestmark = pytest.mark.django_db


@pytest.fixture
def experiment():
    rates = [(977, 0), (0, 0), (0, 60), None]
    return trials.experiment({"1/1": {"power-loss": rates}}, measured=0)


def html(client, trial):
    response = client.get(reverse("results:trial", args=[trial.pk]))
    assert response.status_code == 200
    return response.content.decode()


def sentence(trial):
    return context(trial, reader_of(trial.experiment))["sentence"]


def test_one_sentence_says_what_the_crash_did(experiment, words):
    words([sentence(trial) for trial in experiment.trials.all()])


def test_the_sentence_holds_the_figures_of_the_trial(experiment):
    """977 and 60 transactions lost of 22,000, in the engine and in the binlog; and one trial that could not tell."""
    engine, nothing, binlog, unknown = (sentence(trial) for trial in experiment.trials.all())
    assert "22,000" in engine and " 977 " in engine and "InnoDB" in engine
    assert "22,000" in nothing and " lost " not in nothing
    assert "22,000" in binlog and " 60 " in binlog and "binary log" in binlog
    assert "22,000" not in unknown and "evidence" in unknown


@pytest.fixture
def failed(experiment):
    """A check failed in a trial that lost nothing."""
    trial = experiment.trials.all()[1]
    trial.verdict = "invalid"
    trial.evidence.data["checks"][2] |= {"outcome": "invalid", "says": "GTID 0-1-1 names two transactions."}
    return trial


def test_a_failed_check_is_named_where_nothing_was_lost(failed, words):
    assert "GTID 0-1-1 names two transactions" in sentence(failed)
    words(sentence(failed))


def test_the_page_says_why_commits_were_lost_and_which_settings_prevent_that(client_in, experiment):
    trial = experiment.trials.first()
    trial.experiment.plan["variants"][0]["settings"] = {"innodb_flush_log_at_trx_commit": "2", "sync_binlog": "1"}
    trial.experiment.save()
    page = flat(html(client_in, trial))
    assert "was written, but not flushed to the disk" in page
    assert "innodb_flush_log_at_trx_commit=1 prevents this." in page


def test_the_page_shows_all_evidence_of_the_verdict(client_in, experiment):
    page = flat(html(client_in, experiment.trials.first()))
    for part in ("commits lost", "<dd>91</dd>", "transaction 1 of client 0;", "957 more", "0-1-22003", "Error log",
                 "sync_binlog=0", "1236 Got fatal error", "Starting crash recovery", "sectors lost"):  # fmt: skip
        assert part in page, part
    assert " style=" not in page and "<style" not in page


@pytest.mark.parametrize(("kind", "told"), [("power-loss", True), ("process-kill", False)])
def test_a_simulated_disk_is_named_beside_the_commits(client_in, experiment, kind, told):
    """It is slower than that of the speed measurements."""
    trial = experiment.trials.first()
    trial.kind = kind
    trial.save()
    assert ("the disk is simulated" in flat(html(client_in, trial)).split("In doubt")[0]) is told


OUTAGE = ClientOutage(1.25, 1.75, failed=12, in_doubt=3, after=40, missing=0)


@pytest.mark.parametrize(
    ("outage", "figure", "facts"),
    [
        (OUTAGE, "500 ms", ("1.25 s after the load began", "12 logins or statements", "3 sent", "40, all are there")),
        (replace(OUTAGE, missing=7), "500 ms", ("40, 7 are missing",)),
        (replace(OUTAGE, missing=None), "500 ms", ("40, unclear whether they are there",)),
        (ClientOutage(failed=9, why="the client kept <b>out</b>"), "unknown", ("the client kept &lt;b&gt;out",)),
    ],
)
def test_the_page_shows_the_outage_of_a_reconnecting_client(client_in, experiment, outage, figure, facts):
    trial = experiment.trials.first()
    trial.evidence.data["outage"] = asdict(outage)
    trial.evidence.save()
    page = flat(html(client_in, trial))
    assert f"<dd>{figure}</dd>" in page and "Write outage" in page
    for fact in facts:
        assert fact in page, fact
    assert "Write outage" not in flat(html(client_in, experiment.trials.last()))


def test_a_trial_without_evidence_has_a_page(client_in, experiment):
    trial = trials.trial(
        experiment, experiment.trials.first().server_id, "1/1", "power-loss", 9, None, verdict="", state="waiting"
    )
    page = html(client_in, trial)
    assert "This power loss is waiting" in page
    assert "No check ran" in page


def test_sets_are_drawn_to_one_scale():
    found = FoundSets(acknowledged=1000, in_doubt=0, engine=500, acknowledged_in_engine=500)
    told, engine, binlog = sets(found, None, None, "InnoDB")
    kept, lost = engine.parts
    assert (kept.value, lost.value) == (500, 500)
    assert kept.width == pytest.approx(lost.width)
    assert told.parts[0].width == pytest.approx(kept.width + lost.width, rel=0.03)
    assert not binlog.known


@pytest.mark.parametrize(
    ("in_doubt", "engine", "says"), [(8, 500, "of the 8 in doubt, 0 kept"), (8, 502, ""), (8, None, ""), (0, 500, "")]
)
def test_a_row_says_that_it_has_none_of_the_commits_in_doubt(in_doubt, engine, says):
    found = FoundSets(acknowledged=1000, in_doubt=in_doubt, engine=engine, acknowledged_in_engine=500)
    assert [bar.also for bar in sets(found, None, None, "InnoDB")] == ["", says, ""]


def test_the_smallest_loss_is_seen():
    found = FoundSets(acknowledged=10**6, acknowledged_in_engine=10**6 - 1, engine=10**6 - 1)
    parts = sets(found, None, None, "InnoDB")[1].parts
    assert [part.look for part in parts] == ["kept", "lost"]
    assert parts[1].width >= 5
    assert parts[1].x + parts[1].width <= 1000


def test_rows_of_one_sum_end_at_one_place():
    found = FoundSets(acknowledged=1000, in_doubt=1, acknowledged_in_engine=3, engine=4, acknowledged_in_binlog=0)
    ends = [bar.parts[-1].x + bar.parts[-1].width for bar in sets(found, None, None, "InnoDB")]
    assert ends == pytest.approx([1000, 1000, 999], abs=0.3)


def test_a_row_of_tiny_parts_shows_each():
    found = FoundSets(acknowledged=10**6, acknowledged_in_engine=10**6, engine=10**6, in_doubt=10**7)
    assert sets(found, None, 10**6 - 1, "InnoDB")[3].parts[0].width >= 5


def test_a_check_with_nothing_to_check_bears_no_tick(client_in, experiment):
    trial = experiment.trials.first()
    trial.evidence.data["checks"][1] |= {"outcome": "valid", "says": "Nothing to check: gone.", "vacuous": True}
    trial.evidence.save()
    page = flat(html(client_in, trial))
    assert page.count('<li class="check idle">') == 1
    assert "nothing to check</span>" in page


def test_commits_that_were_all_lost_are_called_all(experiment):
    trial = experiment.trials.first()
    trial.lost_engine = trial.acknowledged
    assert "acknowledged commits from InnoDB (all of them)" in sentence(trial)


def test_a_replica_that_was_promoted_is_a_set_too():
    assert [bar.name for bar in sets(FoundSets(), 100, 3, "InnoDB")] == [
        "sent by the clients",
        "InnoDB",
        "binary log",
        "replica",
    ]


def test_the_time_line_stays_in_its_frame():
    steps = [TrialStep("load", 0.0, 9.0), TrialStep("power on", 9.0, 0.001)]
    load, power = (bar.parts[0] for bar, _ in timeline(steps, 0).rows)
    assert load.width == pytest.approx(999.9, abs=0.2)
    assert (power.look, power.x + power.width <= 1000) == ("power-on", True)


def test_the_time_line_gives_the_crash_the_room():
    """A preparation of 30 s and checks of 60 s would leave a crash of 100 ms three thousandths of the width."""
    took = {"prepare": 30.0, "start": 2.0, "load": 1.0, "cut": 0.1, "recovery": 0.9, "evidence": 1.0, "checks": 60.0}
    begins = [sum(list(took.values())[:n]) for n in range(len(took))]
    found = timeline([TrialStep(name, at, s) for (name, s), at in zip(took.items(), begins, strict=True)], 0.8)
    assert {step.name: (bar.parts[0].x, bar.parts[0].width) for bar, step in found.rows} == {
        "load": (0, 500), "cut": (500, 50), "recovery": (550, 450),
    }  # fmt: skip
    assert [step.name for step in found.folded] == ["prepare", "start", "evidence", "checks"]
    assert found.folded_s == 93
    since_load = {step.name: round(step.at_s, 3) for _, step in found.rows}
    assert (found.zero, since_load) == ("load", {"load": 0, "cut": 0.8, "recovery": 0.9}), "as in the other figures"


def test_load_and_recovery_have_one_beginning_and_one_end():
    """The load's clock starts 3 ms into its step, that of the recovery ends 2 ms before the end of its step."""
    took = {"load": (0.0, 1.003), "recovery": (1.003, 0.802)}
    found = timeline([TrialStep(name, at, s) for name, (at, s) in took.items()], 1.0, 0.8)
    assert [(step.at_s, step.took_s) for _, step in found.rows] == [(0, pytest.approx(1.0)), (pytest.approx(1.0), 0.8)]


def test_a_trial_that_broke_off_before_its_load_shows_all_its_steps():
    found = timeline([TrialStep("prepare", 0.0, 3.0), TrialStep("start", 3.0, 1.0)], 0)
    assert [step.name for _, step in found.rows] == ["prepare", "start"] and not found.folded
    assert (found.zero, [step.at_s for _, step in found.rows]) == ("trial", [0, 3])


def test_a_button_repeats_the_trial(client_in, admin, experiment, monkeypatch):
    asked = []
    monkeypatch.setattr(actions, "repeat_trial", lambda *call: asked.append(call), raising=False)
    trial = experiment.trials.first()
    response = client_in.post(reverse("results:trial-repeat", args=[trial.pk]), follow=True)
    assert asked == [(trial, admin)]
    assert "queued again" in response.content.decode()
    assert client_in.get(reverse("results:trial-repeat", args=[trial.pk])).status_code == 405


def test_a_trial_that_did_not_happen_yet_has_nothing_to_show_and_nothing_to_repeat(client_in, experiment):
    trial = experiment.trials.first()
    address, again = (reverse(f"results:{name}", args=[trial.pk]) for name in ("trial", "trial-repeat"))
    assert again in client_in.get(address).text
    experiment.trials.filter(pk=trial.pk).update(state="waiting", verdict="", acknowledged=None)
    page = client_in.get(address).text
    assert again not in page and '<dl class="figures">' not in page


def test_the_reason_why_a_trial_is_not_repeated_is_told(client_in, experiment, monkeypatch):
    def refuse(*_):
        raise PlanError("The experiment is running.", "Wait for it to end.")

    monkeypatch.setattr(actions, "repeat_trial", refuse, raising=False)
    response = client_in.post(reverse("results:trial-repeat", args=[experiment.trials.first().pk]), follow=True)
    assert "The experiment is running. Wait for it to end." in response.content.decode()


def test_an_unknown_loss_is_not_told_as_nothing_lost(failed, words):
    failed.lost_engine = None
    assert "22,000" not in sentence(failed) and "GTID 0-1-1 names two transactions" in sentence(failed)
    words(sentence(failed))


def test_a_server_that_stays_down_is_told(experiment, words):
    trial = experiment.trials.all()[1]
    trial.verdict, trial.lost_engine, trial.recovery_s = "invalid", None, None
    trial.evidence.data["checks"][0] = {
        "key": "stays-down", "outcome": "invalid", "count": 1, "says": "InnoDB: Assertion failure.", "offenders": [],
    }  # fmt: skip
    words(sentence(trial))
