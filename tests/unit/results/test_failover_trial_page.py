"""The page of one trial after a failover: what the new primary lacks, the outage, each node, and the old primary."""

from dataclasses import asdict, replace

import pytest
from django.urls import reverse

from dashboard.pages.results.crash import failover
from dashboard.pages.results.crash.listing import badge
from tests.markup import flat
from tests.unit.results.test_trial_page import experiment, html, sentence  # noqa: F401 - a fixture
from workers.topology.network.measured import NetworkUsed
from workers.topology.setup_and_result import (
    AnsweredByNode,
    FailoverStory,
    RefusedByNode,
    Rejoin,
    SemiSyncCounters,
    UpdatesSeen,
    WriteOutage,
)
from workers.topology.topology import parse

pytestmark = pytest.mark.django_db


OUTAGE = WriteOutage(0.42, None, 0.3, 0.1, 0.02, recovery_s=None, applying_s=None, least_s=0.3, most_s=0.5)
STORY = FailoverStory(
    promoted="replica 1", because="No replica had received them.", phantoms=3, reads=1200, ghosts=9,
    ghosts_acknowledged=5, outage=OUTAGE, rejoin=Rejoin("stopped", "1236: diverged", None),
    semi_sync=SemiSyncCounters(90, 2), per_100_ms=(4, 8, 0), after_per_100_ms=(0, 0, 0, 2),
    network=NetworkUsed("wire", (20.31,)),
)  # fmt: skip


def test_the_page_names_the_network_and_its_round_trip():
    far = parse("semi-sync+replicas=2+rtt=20ms+first-rtt=200ms")
    assert failover.network(NetworkUsed("wire", (200.4, None)), far) == (
        "wires (local ports that delay); round trip 200 ms, unknown measured before the load, "
        "200 ms and 20 ms asked for"
    )
    near = failover.network(NetworkUsed("user-space tunnel", (0.11,)), parse("galera"))
    assert "tunnel in user space; round trip 110 µs measured" in near and "no delay asked for" in near
    assert failover.network(None, near) == ""


@pytest.fixture
def failed_over(experiment):  # noqa: F811
    trial = experiment.trials.first()
    trial.kind, trial.lost_engine, trial.lost_engine_ms, trial.acknowledged = "primary-host-loss", 5, 12.0, 523
    trial.lost_binlog = trial.lost_binlog_ms = None
    trial.save()
    trial.evidence.data |= {"failover": asdict(STORY), "crash_at_s": 0.15}
    trial.evidence.save()
    return trial


def view(story, fault="primary-host-loss", topology="async", fault_at_s=0.15):
    return failover.view(story, fault, topology, fault_at_s, 523)


def test_a_failover_says_what_the_new_primary_lacks_and_why(failed_over, client_in):
    page = flat(html(client_in, failed_over))
    assert "the new primary lacks 5 of 523 acknowledged commits" in page and STORY.because in page
    facts = ("replica 1", "420 ms", "3 commits", "1,200 times", "9 commits, of them 5 acknowledged", "1236: diverged")
    assert [fact for fact in facts if fact not in page] == []
    assert "Lost from the binary log" not in page and "Commits in each place" not in page


def test_the_page_tells_the_outage_of_a_client_and_the_answers_of_each_node():
    story = replace(
        STORY,
        answered=(AnsweredByNode("primary", 1500, 16, 0.01, 0.45), AnsweredByNode("replica 1", 0, 2, None, None)),
        refused=(RefusedByNode("replica 1", 2, 0.5, 0.6, "1290: read-only"),),
        updates=UpdatesSeen(acknowledged=40, refused=3, overwritten=0, missing=None, reads=43, stale=1),
    )
    facts = dict(view(story).facts)
    assert facts["Writes refused for"].startswith(
        "420 ms for the client in the middle (300 ms to 500 ms for the others), of them"
    )
    assert "100 ms until the client had reconnected" in facts["Writes refused for"]
    assert facts["Answers of primary"] == "1,500 acknowledged, 10.0 ms to 450 ms after the load began; 16 in doubt"
    assert facts["Answers of replica 1"] == "none acknowledged, 2 in doubt"
    assert facts["Refused by replica 1"] == "2 transactions, 500 ms to 600 ms after the load began: 1290: read-only"
    assert facts["Updates of shared rows"] == (
        "40 acknowledged, 3 refused; 0 overwritten, unknown missing on the new primary; 1 of 43 reads stale"
    )


def test_acknowledgements_are_drawn_around_the_fault():
    drawn = view(STORY, fault_at_s=0.2)
    assert [(bar.look, bar.x, bar.height) for bar in drawn.bars] == [
        ("kept", 0.0, 50.0), ("kept", 250.0, 100.0), ("after", 750.0, 25.0),
    ]  # fmt: skip
    assert (drawn.fault_x, drawn.gap_width, drawn.seconds) == (500.0, 500.0, (0, 0.2, 0.4))


def life(lane):
    return [(one.look, one.x, one.width) for one in lane.life]


def test_each_node_is_drawn_with_its_role_and_what_it_holds():
    outage = replace(OUTAGE, total_s=0.1, failover_s=0.1, login_s=0.0)
    story = replace(STORY, outage=outage, holds={"primary": 520, "replica 1": 518})
    old, new, other = view(story, topology="semi-sync+rtt=20ms+replicas=2", fault_at_s=0.2).lanes
    assert (old.role, life(old)) == ("old primary", [("serves", 0, 500), ("away", 500, 500)])
    assert (new.role, life(new)) == ("new primary", [("follows", 0, 500), ("follows", 500, 250), ("after", 750, 250)])
    assert (other.role, life(other)) == ("", [("follows", 0, 500), ("follows", 500, 500)])
    assert "semi-synchronous, AFTER_SYNC, round trip 20" in new.link
    parts = [[(part.value, part.name) for part in lane.holds.parts] for lane in (old, new)]
    assert parts == [
        [(520, "acknowledged"), (3, "missing"), (4, "not acknowledged")], [(518, "acknowledged"), (5, "missing")],
    ]  # fmt: skip
    assert not other.holds.known


@pytest.mark.parametrize(
    ("fault", "topology", "lives"),
    [
        ("total-kill", "async", [["serves", "away"], ["follows", "away", "after"]]),
        ("partition", "async+policy=unfenced", [["serves", "serves"], ["follows", "follows", "after"]]),
        ("partition", "async", [["serves", "away"], ["follows", "follows", "after"]]),
        ("switchover", "async", [["serves", "away"], ["follows", "follows", "after"]]),
    ],
)
def test_a_node_is_down_as_its_fault_and_policy_say(fault, topology, lives):
    assert [[one.look for one in lane.life] for lane in view(STORY, fault, topology).lanes] == lives


def test_a_replica_that_crashes_is_down_and_its_primary_goes_on(failed_over, client_in):
    story = replace(STORY, promoted="", outage=None, holds={"primary": 523, "replica 1": 500})
    drawn = view(story, "replica-kill")
    assert [[one.look for one in lane.life] for lane in drawn.lanes] == [["serves", "serves"], ["follows", "away"]]
    replica = drawn.lanes[1]
    assert [part.value for part in replica.holds.parts] == [500, 23] and "replica kill" in replica.events[0]
    failed_over.kind, failed_over.lost_engine, failed_over.lost_replica = "replica-kill", 0, 23
    failed_over.save()
    page = flat(html(client_in, failed_over))
    assert "This replica kill took 23 of " in page and "Writes refused" not in page.split("Crash of a")[0]


def test_a_replica_that_stopped_with_an_error_did_not_keep_everything(failed_over):
    failed_over.kind, failed_over.verdict, failed_over.lost_engine, failed_over.lost_replica = (
        "replica-kill",
        "valid",
        0,
        None,
    )
    assert sentence(failed_over) == "After this replica kill the replica stopped with an error: it must be rebuilt"
    assert (badge(failed_over), failed_over.verdict_label) == ("warned", "replica stopped")
    failed_over.lost_replica = 0
    assert sentence(failed_over).startswith("All 523 acknowledged commits survived")


def test_the_first_node_of_a_cluster_that_is_forced_on_was_never_down():
    story = replace(STORY, promoted="node 1")
    first, *others = view(story, "majority-lost", "galera").lanes
    assert first.role == "primary before and after" and [one.look for one in first.life] == ["serves", "serves"]
    assert [[one.look for one in lane.life] for lane in others] == [["follows", "away"]] * 2


def test_a_crash_of_one_server_has_no_failover(client_in, experiment):  # noqa: F811
    assert client_in.get(reverse("results:trial", args=[experiment.trials.first().pk])).context["failover"] is None


@pytest.mark.parametrize(
    ("rejoin", "says"),
    [
        (Rejoin("caught up", "", 0), "with the same rows"),
        (Rejoin("caught up", "", 4), "without an error; 4 rows differ"),
        (Rejoin("unknown", "late", None), "unknown: late"),
        (None, None),
    ],
)
def test_the_return_of_the_old_primary_is_told(rejoin, says):
    facts = dict(view(replace(STORY, rejoin=rejoin)).facts)
    told = facts.get("Old primary as replica")
    assert told is None if says is None else says in told
