"""The finding on a failover: losses and write outage of each kind of replication, and what stands in the matrix."""

from html import unescape
from types import SimpleNamespace

import pytest
from django.urls import reverse

from dashboard.findings.compare.crashes import crash_pairs
from dashboard.findings.crash.failover import _losses, _named, failover_finding
from dashboard.findings.crash.statistics import tallies
from dashboard.findings.crash.trials import trials_of
from dashboard.pages.results.addresses import Addresses
from dashboard.pages.results.crash.matrix import matrix
from dashboard.pages.results.crash.table import crash_tables
from dashboard.pages.results.page import shown_to
from tests.markup import flat
from tests.unit.findings.tried import plain, setting, tried, unclear
from tests.unit.results import trials

pytestmark = pytest.mark.django_db
FAULT = "primary-host-loss"


@pytest.fixture
def experiment():
    """asynchronous: lost 1, 101 and nothing; semi-sync: nothing, and phantoms in one of two."""
    one = trials.experiment({"1/1": {FAULT: [(0, 0)] * 2}, "0/0": {FAULT: [(1, 1), (101, 101), (0, 0)]}}, replica=False)
    for variant in one.plan["variants"]:
        variant["topology"] = "semi-sync" if variant["name"] == "1/1" else "async"
    one.save()
    for n, trial in enumerate(one.trials.filter(variant="1/1")):
        trial.evidence.data |= {"failover": {"phantoms": n, "ghosts": 4 + n}}
        trial.evidence.save()
        one.trials.filter(pk=trial.pk).update(phantoms=n)
    one.trials.update(lost_binlog=None, lost_binlog_ms=None, recovery_s=0.07)
    one.trials.filter(variant="0/0").update(recovery_s=0.25)
    return one


def test_the_finding_names_losses_and_the_write_outage(experiment, client_in):
    page = unescape(flat(client_in.get(reverse("results:page", args=[experiment.pk])).content.decode()))
    assert (
        "A loss of the primary's host cost no acknowledged commit, but commits that clients had read, with 1/1 in 1 of "
        "2; 1 to 101 acknowledged commits with 0/0 in 2 of 3; writes were refused for 70.0 ms to "
        "250 ms (medians of the settings)."
    ) in page.replace("\N{NO-BREAK SPACE}", " ")
    assert "let clients read commits that were then gone in 1 of 2 losses of the primary" in page


def test_a_replica_that_stopped_is_named_and_settings_with_the_same_outcome_are_named_together(experiment, client_in):
    experiment.plan["variants"].append({**experiment.plan["variants"][0], "name": "2/0"})
    experiment.save()
    for trial in list(experiment.trials.filter(variant="1/1")):
        evidence, trial.pk, trial.variant, trial.position = trial.evidence, None, "2/0", trial.position + 20
        trial.save()
        evidence.pk, evidence.trial = None, trial
        evidence.save()
    experiment.trials.update(kind="replica-kill", recovery_s=None, lost_replica=0)
    for trial in experiment.trials.exclude(variant="0/0"):
        trial.evidence.data |= {"failover": {}}
        trial.evidence.save()
    experiment.trials.update(phantoms=None)
    for trial in experiment.trials.filter(variant="0/0"):
        trial.evidence.data |= {"failover": {"rejoin": {"state": "stopped"}}}
        trial.evidence.save()
    experiment.trials.filter(variant="0/0").update(lost_replica=None, verdict="valid")
    page = unescape(flat(client_in.get(reverse("results:page", args=[experiment.pk])).content.decode()))
    page = page.replace("\N{NO-BREAK SPACE}", " ")
    assert (
        "A replica kill cost no acknowledged commit with 1/1 and 2/0 in 2 of 2 "
        "(up to 84 % of such crashes may still lose commits)."
    ) in page
    assert "The replica stopped with an error with 0/0 in 3 of 3." in page
    assert "left a replica that must be rebuilt in 3 of 3 replica kills" in page and "Use 0/0" not in page
    assert _named(["1/1", "1, 0", "0/0", "2/0"]) == "4 settings"
    assert _named(["1/1", "MariaDB, strict", "0/0"]) == "1/1, “MariaDB, strict” and 0/0"
    assert "replica stopped with an error in 3 of 3" in page, "the matrix"


def test_a_fallback_is_named_in_the_matrix_and_in_the_finding(experiment, client_in):
    """What was lost after it is not counted as a loss of semi-synchronous replication without a word."""
    for n, trial in enumerate(experiment.trials.filter(variant="0/0")):
        trial.evidence.data |= {"failover": {"fell_back": n < 2}}
        trial.evidence.save()
    page = unescape(flat(client_in.get(reverse("results:page", args=[experiment.pk])).content.decode()))
    assert "Semi-synchronous replication had fallen back to asynchronous with 0/0 in 2 of 3" in page
    assert "2 of these lost commits" in page and "fell back to asynchronous in 2 of 3" in page, "the matrix"
    experiment.trials.filter(variant="0/0").delete()
    held = unescape(flat(client_in.get(reverse("results:page", args=[experiment.pk])).content.decode()))
    assert "fell back" not in held and "fallen back" not in held


def losing(name, *lost):
    trials = [SimpleNamespace(lost=lambda place, n=n: n) for n in lost]
    return SimpleNamespace(name=name, tally=SimpleNamespace(decided=trials))


def test_many_settings_that_lost_commits_are_told_in_one_clause():
    (said,) = _losses([losing("a", 3, 0), losing("b", 7), losing("c", 90), losing("d", 1)])
    assert said == "1 to 90 acknowledged commits with 4 settings in 4 of 5"
    (said,) = _losses([losing(name, 1) for name in "abcd"])
    assert said == "1 acknowledged commit with 4 settings in 4 of 4"


def test_an_old_primary_that_differs_without_an_error_is_told(experiment):
    for trial in experiment.trials.filter(variant="0/0")[:2]:
        trial.evidence.data |= {"failover": {"rejoin": {"state": "caught up", "different_rows": 9}}}
        trial.evidence.save()
    found = failover_finding(shown_to(experiment, {"crash": FAULT}, shared=False).settings)
    assert found.more == ("The old primary followed without an error, and its rows differ, with 0/0 in 2 of 3.",)


def test_the_matrix_shows_the_write_outage_beside_the_loss(experiment):
    cells = {row.name: row.cells[0] for row in matrix(shown_to(experiment, {}, shared=False), Addresses(experiment.pk))}
    assert cells["0/0"].losses[0][0].startswith("new primary lacks median 51 commits")
    assert cells["1/1"].failover == ("writes refused 70.0 ms", "read, then lost in 1 of 2")


def test_a_comparison_shows_losses_and_the_write_outage(experiment):
    pairs = crash_pairs(experiment, experiment, dict.fromkeys([experiment.trials.first().server_id], "db"), str)
    sides = {row.name: row.a.more for row in pairs.rows}
    assert sides["1/1"] == ("writes refused 70.0 ms", "read, then lost in 1 of 2")
    assert sides["0/0"][0].startswith("new primary lacks median 51 commits") and "writes refused 250 ms" in sides["0/0"]


def test_the_table_of_the_matrix_has_what_a_failover_decides(experiment):
    (table,) = crash_tables(shown_to(experiment, {}, shared=False))
    columns = [title for title, _ in table.columns]
    assert not any(title.startswith(("lost from", "replicas")) for title in columns)
    rows = {row[0]: dict(zip(columns, row, strict=True)) for row in table.rows}
    assert (rows["0/0"]["missing: mean"], rows["0/0"]["missing: median"], rows["0/0"]["missing: most"]) == (34, 51, 101)
    assert (rows["0/0"]["read, then lost: trials"], rows["0/0"]["ghosts: most"]) == (None, None), "not known"
    read = ("read, then lost: trials", "read, then lost: most", "ghosts: most", "writes refused: most")
    assert [rows["1/1"][name] for name in read] == [1, 1, 5, pytest.approx(70)]


def test_crashes_and_failovers_have_a_table_each(experiment):
    experiment.trials.filter(variant="0/0").update(kind="kill")
    crashes, failovers = crash_tables(shown_to(experiment, {}, shared=False))
    assert [row[:2] for row in crashes.rows] == [("0/0", "kill")] and "lost from InnoDB: mean" in dict(crashes.columns)
    assert [row[0] for row in failovers.rows] == ["1/1"]


def test_the_list_of_trials_has_the_columns_of_a_failover(experiment, client_in):
    page = flat(client_in.get(reverse("results:trials", args=[experiment.pk])).content.decode())
    assert "Commits missing" in page and "Read, then lost" in page and "no replica was tried" not in page


def test_a_loss_of_nothing_that_failed_otherwise_is_no_nothing(experiment):
    experiment.trials.filter(variant="1/1").update(verdict="invalid")
    text = failover_finding(shown_to(experiment, {"crash": FAULT}, shared=False).settings).text
    assert "cost no acknowledged commit, but commits that clients had read, with 1/1 in 1 of 2" in text


def test_a_crash_of_a_replica_counts_what_that_replica_lacks(experiment):
    experiment.trials.update(kind="replica-kill", recovery_s=None, lost_replica=7, verdict="invalid")
    text = failover_finding(shown_to(experiment, {"crash": "replica-kill"}, shared=False).settings).text
    assert text.startswith("A replica kill cost 7 acknowledged commits with ") and "refused" not in text
    cells = [row.cells[0] for row in matrix(shown_to(experiment, {}, shared=False), Addresses(experiment.pk))]
    assert cells[0].losses == (("replica lacks median 7 commits", ""),)


def test_a_failover_without_an_outage_is_no_server_that_stayed_down(experiment):
    experiment.trials.update(recovery_s=None)
    tally = tallies(trials_of(experiment))[experiment.plan["targets"][0]["server_id"], "0/0", FAULT]
    assert tally.back_s is None and "come back" not in tally.says and not any(one.stayed_down for one in tally.decided)


def ended(kind=FAULT, engine=0, **known):
    return tried(kind, engine, None, **{"recovery_s": None} | known)


def left_behind(**known):
    """Of a replica that crashed and stopped with an error."""
    return ended("replica-kill", rejoin="stopped", verdict="valid", **known)


OPEN = unclear(FAULT)
HOST = "A loss of the primary's host cost"
NOTHING = "no acknowledged commit"
ONE = "(up to 98 % of such crashes may still lose commits)"


@pytest.mark.parametrize(
    ("known", "says"),
    [
        ([setting("a", ended())], f"{HOST} {NOTHING} with a in 1 of 1 {ONE}"),
        ([setting("a", *[ended()] * 36, OPEN)],
         f"{HOST} {NOTHING} with a in 36 of 36, 1 unclear (up to 14 % of such crashes may still lose commits)"),
        ([setting("a", ended(engine=1))], f"{HOST} 1 acknowledged commit with a in 1 of 1"),
        ([setting("a", ended(engine=1), ended(engine=1200), ended(), OPEN)],
         f"{HOST} 1 to 1,200 acknowledged commits with a in 2 of 3, 1 unclear"),
        ([setting("a", ended(phantoms=2), ended(phantoms=0), ended(), OPEN)],
         f"{HOST} {NOTHING}, but commits that clients had read, with a in 1 of 2, 1 unclear"),
        ([setting("a", ended(engine=None, verdict="valid"))], f"{HOST} an unknown number of commits with a"),
        ([setting("a", ended(phantoms=1)), setting("b", ended(phantoms=0))],
         f"{HOST} {NOTHING} with b in 1 of 1 {ONE}; "
         f"{NOTHING}, but commits that clients had read, with a in 1 of 1"),
        ([setting("a", ended(engine=4), ended(engine=6)), setting("b", ended(engine=9), ended())],
         f"{HOST} 9 acknowledged commits with b in 1 of 2; 4 to 6 acknowledged commits with a in 2 of 2"),
        ([setting(name, ended(engine=4)) for name in "abc"],
         f"{HOST} 4 acknowledged commits with a, b and c in 1 of 1"),
        ([setting(name, ended(engine=4), ended()) for name in "abcd"],
         f"{HOST} 4 acknowledged commits with 4 settings in 4 of 8"),
        ([setting("a", left_behind()), setting("b", ended("replica-kill", lost_replica=0))],
         f"A replica kill cost {NOTHING} with b in 1 of 1 {ONE}"),
        ([setting("a", left_behind(), ended("replica-kill", lost_replica=5)),
          setting("b", ended("replica-kill", lost_replica=5))],
         "A replica kill cost 5 acknowledged commits with a and b in 1 of 1"),
        ([setting("a", left_behind())], "A replica kill cost an unknown number of commits with a"),
        ([setting("a", left_behind(), ended("replica-kill", lost_replica=5))],
         "A replica kill cost 5 acknowledged commits with a in 1 of 1"),
    ],
)  # fmt: skip
def test_a_setting_is_told_with_the_commits_that_it_lost(known, says):
    assert plain(failover_finding(known).text) == says


@pytest.mark.parametrize(
    ("seconds", "says"),
    [
        ([None, None], ""),
        ([0.5, None], "; writes were refused for 500 ms (median)"),
        ([2, 2], "; writes were refused for 2.0 s (medians of the settings)"),
        ([0.5, 2, 0.25], "; writes were refused for 250 ms to 2.0 s (medians of the settings)"),
    ],
)
def test_the_write_outage_spans_the_medians_of_the_settings(seconds, says):
    known = [setting(str(n), ended(recovery_s=one)) for n, one in enumerate(seconds)]
    assert plain(failover_finding(known).text).partition("lose commits)")[2] == says


@pytest.mark.parametrize(
    ("known", "says"),
    [
        ([setting("a", ended(), ended(fell_back=False))], ()),
        ([setting("a", ended(fell_back=True), ended())],
         ("Semi-synchronous replication had fallen back to asynchronous with a in 1 of 2.",)),
        ([setting("a", ended(fell_back=True, engine=3), ended(fell_back=True), ended(engine=3))],
         ("Semi-synchronous replication had fallen back to asynchronous with a in 2 of 3, "
          "and 1 of these lost commits.",)),
        ([setting("a", ended(rejoin="caught up", rejoin_differs=3), ended(rejoin="caught up", rejoin_differs=0))],
         ("The old primary followed without an error, and its rows differ, with a in 1 of 2.",)),
        ([setting("a", left_behind(), ended("replica-kill", lost_replica=0)), setting("b", left_behind()),
          setting("c", ended("replica-kill", lost_replica=0))],
         ("The replica stopped with an error with a in 1 of 2.",
          "The replica stopped with an error with b in 1 of 1.")),
    ],
)  # fmt: skip
def test_what_else_happened_has_its_own_sentence(known, says):
    assert failover_finding(known).more == says


def test_up_to_three_settings_are_named():
    assert [_named(list("abcd"[:n])) for n in (1, 2, 3, 4)] == ["a", "a and b", "a, b and c", "4 settings"]
