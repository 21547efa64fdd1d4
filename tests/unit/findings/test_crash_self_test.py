"""The self-test of the checks: failed, passed, not complete, not tried; and what a page shows then."""

from html import unescape

import pytest
from django.urls import reverse

from dashboard.findings.crash.self_test import self_test
from dashboard.findings.crash.trials import trials_of
from tests.unit.findings.tried import tried, unclear
from tests.unit.results import trials

pytestmark = pytest.mark.django_db
GOOD = {"power-loss": [(0, 0)] * 3}


def found(**controls):
    kinds = {name.replace("_", "-"): losses for name, losses in controls.items()}
    return trials.experiment({"1/1": {**GOOD, **kinds}})


def page(client, experiment):
    return client.get(reverse("results:page", args=[experiment.pk])).content.decode()


def test_the_self_test_passes_when_lying_disks_are_flagged():
    passed = self_test(trials_of(found(lying_disk=[(9, 9)] * 2, graceful_restart=[(0, 0)])))
    assert passed.state == "passed"
    assert (
        passed.says == "The self-test of the checks passed: they found the loss in 2 of 2 trials with "
        "a lying disk (it ignores flushes, so it must lose commits), and none after 1 graceful restart."
    )


@pytest.mark.parametrize(
    ("controls", "says"),
    [
        ({"lying_disk": [(9, 9), (0, 0)]}, "1 of 2 lying disks not flagged"),
        ({"lying_disk": [(9, 9)], "graceful_restart": [(0, 0), (1, 1)]}, "1 of 2 graceful restarts flagged"),
    ],
)
def test_the_self_test_fails_when_one_control_comes_out_wrong(client_in, controls, says):
    experiment = found(**controls)
    assert self_test(trials_of(experiment)).failed
    html = page(client_in, experiment)
    assert f"The self-test of the checks failed: {says}" in html
    assert "lost nothing in" not in html
    assert "crash-cell held" not in html
    assert 'id="chart-risk"' not in html or '"series": []' in html


def test_a_lying_disk_is_flagged_by_what_the_engine_lost_and_by_nothing_else():
    experiment = found(lying_disk=[(9, 9), (0, 9)])
    assert "1 of 2 lying disks not flagged" in self_test(trials_of(experiment)).says


def test_an_unknown_verdict_on_a_lying_disk_is_not_flagged():
    experiment = found(lying_disk=[(9, 9)])
    experiment.trials.filter(kind="lying-disk").update(verdict="unknown")
    assert self_test(trials_of(experiment)).failed


@pytest.mark.parametrize(
    ("unclear", "says"),
    [
        (2, ", and none after 1 graceful restart; 2 graceful restarts unclear."),
        (3, "; 3 graceful restarts unclear."),
    ],
)
def test_an_unknown_verdict_on_a_graceful_restart_is_no_passed_self_test(client_in, unclear, says):
    experiment = found(lying_disk=[(9, 9)], graceful_restart=[(0, 0)] * 3)
    assert self_test(trials_of(experiment)).state == "passed"
    experiment.trials.filter(kind="graceful-restart", repeat__gt=3 - unclear).update(verdict="unknown")
    told = self_test(trials_of(experiment))
    assert told.state == "incomplete" and told.says.endswith(says)
    html = page(client_in, experiment)
    assert "self-test not complete" in html and "self-test passed" not in html


def test_without_a_graceful_restart_the_self_test_is_not_passed(client_in):
    experiment = found(lying_disk=[(9, 9)])
    told = self_test(trials_of(experiment))
    assert (told.state, told.failed) == ("incomplete", False)
    assert (
        told.says
        == f"The self-test of the checks is not complete: {FLAGGED}; no trial that must lose nothing was tried."
    )
    html = page(client_in, experiment)
    assert "self-test not complete" in html and "self-test passed" not in html and told.says in unescape(html)


def test_a_lying_disk_after_which_nothing_comes_back_is_flagged():
    experiment = found(lying_disk=[(9, 9)] * 2, graceful_restart=[(0, 0)])
    experiment.trials.filter(kind="lying-disk", repeat=1).update(lost_engine=None, recovery_s=None)
    assert self_test(trials_of(experiment)).state == "passed"


def test_a_control_that_broke_off_shows_nothing():
    assert self_test(trials_of(found(lying_disk=[None]))).state == "not tried"
    broken = tried(RESTART, verdict="unknown", error="load: no answer")
    told = self_test([tried(LIES, engine=5), tried(RESTART), broken])
    assert told.state == "incomplete" and told.says.endswith("; 1 graceful restart unclear.")


def test_a_control_that_broke_off_after_it_had_lost_commits_decides():
    lost = {"verdict": "invalid", "error": "violations: no answer"}
    assert self_test([tried(LIES, engine=5), tried(RESTART, engine=1, **lost)]).failed
    assert self_test([tried(LIES, engine=5, **lost), tried(RESTART)]).state == "passed"


def test_a_result_without_the_self_test_says_so(client_in):
    experiment = found()
    assert self_test(trials_of(experiment)).state == "not tried"
    html = page(client_in, experiment)
    assert "self-test not run" in html
    assert "self-test of the checks failed" not in html


def test_failovers_have_controls_of_their_own():
    clean = {"switchover": [(0, 0)], "no_fault": [(0, 0)] * 2}
    passed = self_test(trials_of(found(asynchronous_link=[(7, 0)] * 2, **clean)))
    assert (
        passed.says == "The self-test of the checks passed: they found the loss in 2 of 2 trials with "
        "an asynchronous link, and none after 1 graceful switchover and 2 trials without a fault."
    )
    assert self_test(trials_of(found(asynchronous_link=[(7, 0)], no_fault=[(1, 0)]))).failed
    assert self_test(trials_of(found(asynchronous_link=[(7, 0), (0, 0)]))).failed
    assert self_test(trials_of(found(asynchronous_link=[(7, 0)], switchover=[(1, 0)]))).failed
    assert self_test(trials_of(found(switchover=[(0, 0)]))).state == "not tried"


CLEAN = [(0, 0)]
LYING = {"lying-disk": [(9, 9)], "graceful-restart": CLEAN}
LINK = {"asynchronous-link": [(7, 0)], "no-fault": CLEAN}
TOPOLOGIES = {"1/1": "", "async": "async", "galera": "galera"}


def families(**controls):
    """A server alone, replicas and a cluster were tried, each with these controls."""
    experiment = trials.experiment({name.replace("alone", "1/1"): {**GOOD, **more} for name, more in controls.items()})
    variant, *_ = experiment.plan["variants"]
    names = [name.replace("alone", "1/1") for name in controls]
    experiment.plan["variants"] = [{**variant, "name": name, "topology": TOPOLOGIES[name]} for name in names]
    experiment.save(update_fields=["plan"])
    return self_test(trials_of(experiment))


def test_a_lying_disk_tests_no_failover():
    assert families(alone=LYING).state == "passed"
    found = families(alone=LYING, **{"async": {}})
    assert found.state == "not tried"
    assert "The self-test of the checks for one server passed" in found.says
    assert "The self-test of the checks for replicas did not run" in found.says


def test_each_family_is_judged_by_its_own_controls():
    assert families(alone=LYING, galera=LINK, **{"async": LINK}).state == "passed"
    missed = families(alone=LYING, galera={"asynchronous-link": [(0, 0)]}, **{"async": LINK})
    assert missed.says == (
        "The self-test of the checks for Galera failed: 1 of 1 asynchronous link not flagged. "
        "No verdict of this experiment counts."
    )


LIES, RESTART, SWITCH = "lying-disk", "graceful-restart", "switchover"
FLAGGED = "they found the loss in 1 of 1 trial with a lying disk (it ignores flushes, so it must lose commits)"
PASSED, OPEN = f"passed: {FLAGGED}", f"is not complete: {FLAGGED}"
NONE_HELD = "; no trial that must lose nothing was tried"


@pytest.mark.parametrize(
    ("controls", "says"),
    [
        ([], "did not run: no trial had a lying disk or an asynchronous link."),
        ([tried(LIES, engine=5)], f"{OPEN}{NONE_HELD}."),
        ([tried(LIES, engine=5), tried(RESTART)], f"{PASSED}, and none after 1 graceful restart."),
        ([tried(LIES, engine=5), tried("asynchronous-link", engine=5)],
         f"{OPEN}, and the loss in 1 of 1 trial with an asynchronous link{NONE_HELD}."),
        ([tried(LIES, engine=5), unclear(RESTART), unclear(SWITCH)],
         f"{OPEN}; 1 graceful restart unclear; 1 graceful switchover unclear."),
        ([tried(LIES, engine=5), tried(RESTART), unclear(RESTART)],
         f"{OPEN}, and none after 1 graceful restart; 1 graceful restart unclear."),
        ([tried(LIES, engine=5), tried(RESTART, verdict="", state="failed"), unclear(SWITCH, error="load: no answer")],
         f"{OPEN}; 1 graceful restart unclear; 1 graceful switchover unclear."),
        ([tried(LIES, engine=5), tried(RESTART, verdict="", state="queued")], f"{OPEN}{NONE_HELD}."),
        ([tried(LIES, verdict="invalid", recovery_s=None)], f"{OPEN}{NONE_HELD}."),
        ([tried(LIES), tried(LIES, binlog=5), unclear(LIES), tried(LIES, engine=5)],
         "failed: 3 of 4 lying disks not flagged. No verdict of this experiment counts."),
        ([tried(LIES), tried(RESTART), tried(RESTART, binlog=1), unclear(RESTART)],
         "failed: 1 of 1 lying disk not flagged and 1 of 2 graceful restarts flagged. "
         "No verdict of this experiment counts."),
    ],
)  # fmt: skip
def test_it_says_what_each_completed_control_showed(controls, says):
    assert self_test(controls).says == f"The self-test of the checks {says}"
