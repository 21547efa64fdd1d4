"""Sentences on crash trials, of made-up trials: the log that lost more, what decides, and what stays open."""

from dataclasses import replace

import pytest

from dashboard.findings.crash.durability import Durability, of_trial
from dashboard.findings.crash.failover import failover_finding
from dashboard.findings.crash.report_lines import _counted
from dashboard.findings.crash.self_test import self_test
from dashboard.findings.crash.settings import CrashSetting
from dashboard.findings.crash.statistics import Tally
from dashboard.findings.crash.trials import Tried
from dashboard.findings.lines import VariantPlace
from dashboard.records.experiments.environment import EnvironmentFacts, MeasuredServer

POWER, FAULT = "power-loss", "primary-kill"


def tried(engine=0, binlog=0, **known) -> Tried:
    """None for both: the trial could not tell."""
    verdict = "unknown" if engine is binlog is None else "invalid" if engine or binlog else "valid"
    columns = {
        "id": 1, "position": 1, "server_id": 1, "variant": "1/1", "kind": POWER, "repeat": 1, "seed": 1,
        "state": "done", "verdict": verdict, "error": "", "acknowledged": 1000, "lost_engine": engine,
        "lost_engine_ms": None if engine is None else 2.0 * engine, "lost_binlog": binlog,
        "lost_binlog_ms": None if binlog is None else 3.0 * binlog, "lost_replica": None, "phantoms": None,
        "recovery_s": 0.6, "repeat_of_id": None, "engine": "InnoDB",
    }  # fmt: skip
    return Tried(**columns | known)


UNCLEAR = tried(None, None)


def tally(*trials, kind=POWER, variant="1/1", server_id=1):
    named = {"kind": kind, "variant": variant, "server_id": server_id}
    return Tally(server_id, variant, kind, tuple(replace(one, **named) for one in trials))


def setting(*trials, recorded=None, **of):
    found = tally(*trials, **of)
    place = VariantPlace(found.variant, found.server_id, found.variant, 0, 0)
    return CrashSetting(place, None, found, found.loss("either"), False, recorded)


def told(finding):
    return " ".join([finding.text, *finding.more]).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("engine", "binlog", "ms"), [(5, 9, 27.0), (9, 5, 18.0), (9, None, 18.0), (5, 5, 10.0), (0, 4, 12.0)]
)
def test_the_time_of_a_loss_is_that_of_the_log_that_lost_more(engine, binlog, ms):
    assert tried(engine, binlog).lost_ms("either") == ms


def test_only_settings_on_which_a_risk_rests_decide():
    ran = Durability("mariadb", "10.11.6", {"sync_binlog": "100", "port": "3306"})
    assert ran.deciding == {"sync_binlog": "100"}


def test_a_variable_that_a_server_does_not_have_is_no_setting_of_it():
    server = MeasuredServer(flavour="mariadb", version="10.11.6", variables={"sync_binlog": 1, "log_bin": None})
    assert of_trial(EnvironmentFacts(server=server), {}).settings == {"sync_binlog": "1"}


def test_unclear_failovers_are_counted_beside_the_losses():
    (lost,) = [failover_finding([setting(tried(7, None), tried(), UNCLEAR, kind=FAULT)])]
    assert "cost 7 acknowledged commits with 1/1 in 1 of 2, 1 unclear" in told(lost)
    assert "unclear" not in told(failover_finding([setting(tried(7, None), tried(), kind=FAULT)]))


@pytest.mark.parametrize(
    ("trials", "what", "says"),
    [
        ([UNCLEAR], "engine", "power losses unclear"),
        ([tried(5, 5), UNCLEAR], "engine", "lost commits in 1 of 1 power loss"),
        ([tried(5, None)], "agreement", "power losses unclear"),
        ([tried(5, 3), tried(5, 5)], "agreement", "disagree in 1 of 2 power losses"),
    ],
)
def test_a_line_of_the_report_counts_the_trials_that_can_tell(trials, what, says):
    class Here:
        experiment_id, cell = 1, "cell"

        def __init__(self, trial):
            self.trial = trial

    assert _counted(what, POWER, "", list(map(Here, trials))).says == says


def test_controls_that_hold_are_named_where_they_were_tried():
    lying = tried(9, 9, kind="lying-disk")
    alone = self_test([lying]).says
    assert alone.endswith(
        "passed: they found a loss in 1 of 1 trial with a lying disk (it ignores flushes), as they must."
    )
    unclear = [tried(None, None, kind=kind) for kind in ("graceful-restart", "no-fault")]
    assert "as they must; 1 graceful restart unclear; 1 " in self_test([lying, *unclear]).says
