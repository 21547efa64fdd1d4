"""Sentences on crash trials, of made-up trials: what was lost where, how sure it is, and what stays open."""

from dataclasses import replace

import pytest

from dashboard.findings.crash.durability import Durability, of_trial
from dashboard.findings.crash.failover import failover_finding
from dashboard.findings.crash.finding import crash_finding
from dashboard.findings.crash.losses import lost_whole_load, of_a_failover
from dashboard.findings.crash.missing import of_a_replica
from dashboard.findings.crash.rate import rate
from dashboard.findings.crash.recorded import says as of_points
from dashboard.findings.crash.reference import SETUPS, _crashes, _setups
from dashboard.findings.crash.report_lines import _counted
from dashboard.findings.crash.self_test import self_test
from dashboard.findings.crash.settings import CrashSetting, settings
from dashboard.findings.crash.statistics import Tally
from dashboard.findings.crash.trials import Tried
from dashboard.findings.finding import Pair
from dashboard.findings.headline import Headline
from dashboard.findings.lines import VariantPlace
from dashboard.findings.point import ThroughputRatio
from dashboard.records.experiments.environment import EnvironmentFacts, MeasuredServer
from dashboard.records.experiments.kind_names import RECORDED
from workers.crash.points.story import PointCounts
from workers.toml.table import TomlTable

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
    ("lost", "read", "says"),
    [
        (2, 0, "commits lost in 2 of 3 power losses"),
        (1, 1, "commits lost or commits read, then lost in 2 of 3 power losses"),
        (0, 2, "commits read, then lost in 2 of 3 power losses"),
        (1, 0, "commits lost or another failure in 2 of 3 power losses"),
        (0, 0, "another failure in 2 of 3 power losses"),
    ],
)
def test_failures_of_each_kind_are_named(lost, read, says):
    assert rate(2, 3).outcome(POWER, lost, read, 0) == says
    assert rate(2, 3).outcome(POWER, lost, read, 4) == f"{says}; 4 more unclear"


@pytest.mark.parametrize(
    ("engine", "binlog", "says"),
    [
        (1, None, "a replica can then have commits that the server lost"),
        (0, 9, "a replica can then lack these commits, which InnoDB kept"),
        (5, 9, "a replica can then lack commits that InnoDB kept"),
    ],
)
def test_a_replica_has_what_the_binary_log_holds(engine, binlog, says):
    """Without a binary log nothing is missing from it."""
    assert of_a_replica([tried(engine, binlog)], "InnoDB") == says


@pytest.mark.parametrize(("lost", "of", "whole"), [(900, 1000, True), (899, 1000, False), (9, None, False)])
def test_a_loss_of_nearly_all_commits_may_have_been_limited_by_the_load(lost, of, whole):
    assert lost_whole_load(tally(tried(lost, 0, acknowledged=of))) == whole
    assert not lost_whole_load(tally(tried(0, 0, acknowledged=0))), "an empty load"


def test_commits_that_were_read_and_then_lost_are_named_where_there_were_any():
    assert not any("read, then lost" in one for one in of_a_failover(tally(tried(phantoms=0), kind=FAULT)))
    assert "read, then lost in 1 of 2" in list(of_a_failover(tally(tried(phantoms=3), tried(phantoms=0), kind=FAULT)))


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


def pair(server_id, server, ratio=None):
    return Pair(Headline("1/1", "0/0", 8), server_id, server, None, None, ratio, ("0/0", "1/1"), "At 8 threads")


def found(known, trials=(), pairs=(), is_over=True):
    return told(crash_finding(known, trials, pairs or [pair(1, "db1")], is_over))


def test_each_server_has_its_own_sentence():
    one, other = setting(tried()), setting(tried(5, 5), server_id=2)
    says = found([one, other], pairs=[pair(1, "db1"), pair(2, "db2"), pair(3, "db3")])
    assert says.startswith("1/1 lost nothing in 1 power loss")
    assert "lost acknowledged commits in 1 of 1 power loss" in says
    assert says.count("1/1 lost") == 2 and "On db3 no crash trial has a verdict." in says
    assert "On db3 no crash trial has a verdict yet." in found(
        [one], pairs=[pair(1, "a"), pair(3, "db3")], is_over=False
    )


@pytest.mark.parametrize(
    ("ratio", "begins", "also"),
    [
        (ThroughputRatio(6.0, 5.0, 7.0, 0.01, "differs"), "At 8 threads", "but lost acknowledged commits in 1 of 1"),
        (ThroughputRatio(0.5, 0.4, 0.6, 0.01, "differs"), "0/0 lost acknowledged commits", "1/1 is 2"),
        (
            ThroughputRatio(1.0, 0.97, 1.03, 0.5, "no difference shown"),
            "0/0 lost acknowledged commits",
            "; at 8 threads 0/0 and 1/1 are about equally fast",
        ),
        (
            ThroughputRatio(1.0, None, None, None, "too few repeats"),
            "0/0 lost acknowledged commits",
            "1/1 lost nothing",
        ),
        (None, "0/0 lost acknowledged commits", "1/1 lost nothing"),
    ],
    ids=["the riskier one is faster", "the safer one is faster", "equally fast", "too few repeats", "not measured"],
)
def test_speed_and_risk_of_the_pair_of_the_plan_stand_together(ratio, begins, also):
    says = found([setting(tried()), setting(tried(5, 5), variant="0/0")], pairs=[pair(1, "db1", ratio)])
    assert says.startswith(begins) and also in says
    assert ("thread" in says) == (ratio is not None and ratio.lo is not None)


@pytest.mark.parametrize(
    ("unclear", "says"),
    [(0, ""), (1, "1 trial is unclear. It may have lost"), (2, "2 trials are unclear. Each may have lost")],
)
def test_trials_without_a_verdict_are_counted(unclear, says):
    text = found([setting(tried())], [tried(), *[UNCLEAR] * unclear, tried(state="waiting", verdict="")])
    assert says in text and ("unclear" in text) == bool(unclear)
    assert f"1 of {2 + unclear} trials were not finished." in text


@pytest.mark.parametrize(("states", "says"), [(1, "at the 1 state of 2"), (2, "at all 2 states of 2")])
def test_all_states_of_small_histories_are_told_as_all_of_several(states, says):
    counts = PointCounts(tried=states, failed=0, lost=0)
    assert (
        of_points(counts, 1, None, "2 rounds of small histories") == f"recovered right {says} rounds of small histories"
    )


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


def test_crash_points_say_more_than_the_bound_of_a_few_crashes():
    def recorded(failed, *unclear):
        counts = PointCounts(tried=40, failed=failed, lost=failed)
        return tally(tried(failed, 0, points=counts), *unclear, kind=RECORDED)

    def outcome(of):
        return setting(tried(), tried(), recorded=of).says

    assert outcome(recorded(0)) == "1/1 lost nothing at any of the 40 crash points of this load, nor in 2 power losses"
    assert outcome(recorded(3)).startswith("1/1 lost nothing in 2 power losses, but lost acknowledged commits at 3 of")
    assert outcome(recorded(0, UNCLEAR)) == outcome(None), "a load without a verdict says nothing"


def test_recorded_loads_stand_beside_other_kinds_only():
    trials = [tried(), tried(points=PointCounts(tried=40, failed=0, lost=0), kind=RECORDED)]
    place = VariantPlace("1/1", 1, "1/1", 0, 0)
    (power,) = settings([place], trials, [], POWER, "either", {})
    (points,) = settings([place], trials, [], RECORDED, "either", {})
    assert power.recorded.points.tried == 40 and points.recorded is None


def test_each_reference_names_server_engine_and_the_logs_that_are_known():
    assert [one.crashes for one in _setups()] == [one.crashes for one in SETUPS]
    assert all(one.crashes.on.startswith(("MariaDB ", "MySQL ", "Percona ")) for one in _setups())
    counts = TomlTable("made-up", "counts", {"lost": 3, "of": 10, "engine": 2})
    one = _crashes(counts, "rocksdb", POWER, "MariaDB 10.11", "a document, a chapter")
    assert (one.kind, one.lost, one.of, one.tried) == ("MyRocks, power loss", 3, 10, 10)
    assert (one.engine_lost, one.binlog_lost) == (2, None)
