"""What pages say of a recorded load: this load, its crash points, and never a share of independent crashes."""

import csv
from dataclasses import replace

import pytest
from django.urls import reverse
from django.utils.html import escape

from dashboard.charts.crash_map import SIZE, crash_map
from dashboard.findings.conclusion import answer_of, conclusion
from dashboard.findings.crash import recorded
from dashboard.findings.crash.losses import losses
from dashboard.findings.crash.recorded import points_in_full
from dashboard.findings.crash.statistics import tallies
from dashboard.findings.crash.trials import trials_of
from dashboard.findings.names import server_names
from dashboard.findings.recommendation import Crashes, where_tried
from dashboard.findings.shown import shown
from dashboard.findings.tested import naming
from dashboard.installation.stored import read
from dashboard.pages.results.crash.recorded_load import sentence, view
from tests.markup import flat
from tests.unit.crash.recorded_states import LOST, TORN, UNCLEAR, state, story
from tests.unit.results import trials
from tests.unit.results.recorded_trials import BAD, GOOD, KIND, MISSING, loads
from workers.bench.plan import Plan
from workers.crash.points.story import (
    OtherPoint,
    OtherSetting,
    PointCounts,
    PointsStory,
    ShortestLoad,
    SmallestHistory,
)
from workers.crash.setup_and_result import LostWork

pytestmark = pytest.mark.django_db

SECTOR = replace(MISSING, path="data/binlog/binlog.000001", offset=8704, role="binlog", n_bytes=512, disk="logs")


def stored(one):
    return read(PointsStory, one.as_stored())


def says(*stories):
    (tally,) = tallies(trials_of(loads(*stories))).values()
    return tally.says


def test_sentences_are_about_the_load(words):
    words(
        [
            sentence(GOOD),
            sentence(BAD),
            sentence(story(state(0.1), state(0.3, TORN))),
            says(GOOD),
            says(GOOD, GOOD),
            says(GOOD, BAD),
            recorded.says(PointCounts(tried=1, failed=0, lost=0), 1, 0),
            recorded.says(PointCounts(tried=230, failed=30, lost=0, uncounted=30), 2, 0),
            recorded.says(PointCounts(tried=40, failed=38, lost=36, uncounted=2), 2, 7),
            recorded.says(PointCounts(tried=40, failed=0, lost=0, uncounted=1), 1, 0),
        ]
    )


def test_the_number_of_states_and_the_margin_of_the_clocks_are_shown(words):
    histories = dict(view(stored(replace(GOOD, windows=259, sampled=0))).facts)
    sampled = dict(view(stored(replace(GOOD, windows=259, sampled=9))).facts)
    subsets, margin = "How they were found", "Difference of the clocks of clients and disk"
    clocks = dict(view(stored(replace(GOOD, margin_s=0.0004))).facts)
    words([histories[subsets], sampled[subsets], clocks[margin]])
    assert not {subsets, margin} & dict(view(stored(GOOD)).facts).keys()


def told(story):
    """What decides, as the page tells it."""
    load = view(stored(story))
    return ["\n  ".join((f"{one.title}: {one.says}", *one.more)) for one in [*load.prevention, *load.deciding]]


def test_histories_whose_wrong_state_is_not_kept_are_counted():
    five = story(*(state(0.1, TORN, way=title) for title in "abcde"), state(0.1, way="f"), windows=1)
    assert view(stored(five)).archives == "of the first 4 of the 5 histories that recovered wrong"
    for all_kept in (replace(five, states=five.states[1:]), replace(five, windows=0)):
        assert view(stored(all_kept)).archives == ""


def test_the_block_that_decides_is_named_with_its_file(words):
    later = replace(MISSING, later_s=0.412)
    in_memory = replace(MISSING, keeps="written")
    words(told(replace(BAD, deciding=(*BAD.deciding, SECTOR, later, in_memory))))


def test_a_violation_that_was_not_seen_again_is_told():
    assert "Not seen again" in dict(view(stored(replace(BAD, not_again=1))).facts)
    assert "Not seen again" not in dict(view(stored(BAD)).facts)


def test_of_small_histories_no_number_of_commits_is_told():
    unknown = {"lost_engine": None, "lost_binlog": None}
    wrong = story(state(0.1, way="XA", **unknown), state(0.2, TORN, way="autocommit", **unknown), windows=1)
    assert sentence(wrong) == "Recovered wrong at 1 of the 2 crash points of 2 histories"
    assert sentence(replace(wrong, states=wrong.states[:1])) == "Recovered right at the 1 crash point of 1 history"
    assert points_in_full(345, "small-histories", 2) == "345 crash points of 2 rounds of small histories"


KILLS = "kill-points"


def killed(*states, **more):
    kept = [replace(one, keeps="killed", way="at a random moment", redo=0, binlog=0) for one in states]
    return story(*kept, pairs=0, covered=0, **more)


def test_kill_points_are_named_and_counted_apart(words, client_in):
    """Everywhere in the place of the words of a power loss, and without a map of what was flushed."""
    bad, good = killed(state(0.1), state(0.2, LOST, lost=3), left=2), killed(state(0.1))
    one = loads(bad, good, kind=KILLS)
    (tally,) = tallies(trials_of(one)).values()
    first, *_ = one.trials.order_by("position")
    page = client_in.get(reverse("results:trial", args=[first.pk])).text
    result = client_in.get(reverse("results:page", args=[one.pk])).text
    assert "Kill points of this load" in page and "Killed at" in page and "Crash point at" not in page
    assert 'class="crash-map' not in page + result
    prevents = OtherSetting(name="sync_binlog", ran="0", other="1", same=False, tried=20, failed=0)
    words(
        [
            sentence(bad),
            sentence(good),
            tally.says,
            points_in_full(240, KILLS, 6),
            *(lost for lost, _ in losses(tally)),
            *told(replace(bad, settings=(prevents,))),
            dict(view(stored(bad)).facts)["Kill points tried"],
        ]
    )
    rows = list(
        csv.DictReader(client_in.get(reverse("results:crash-points", args=[first.pk, "csv"])).text.splitlines())
    )
    assert [row["Killed at (s)"] for row in rows] == ["0.1", "0.2"]
    assert not [name for name in rows[0] if "flushed" in name]


DOWN = state(0.3, TORN, lost_engine=None, lost_binlog=None)  # the server did not start


def recommended(*stories):
    one = loads(*stories)
    view = shown(one, {}, server_names(Plan.from_dict(one.plan)))
    return answer_of(view, conclusion(one, view)).recommendation


def test_crash_points_at_which_the_server_did_not_start_are_not_told_as_counted(words):
    """The control: a server that started everywhere has no unknown losses."""
    down = [recommended(story(state(0.1), DOWN)), recommended(story(state(0.1), state(0.2, LOST, lost=3), DOWN))]
    assert not any(one.option for one in down)
    words([reason for one in down for reason in one.reasons])
    assert not any("unknown losses" in reason for reason in recommended(BAD).reasons)
    assert not Crashes(KIND, 1, 0, 0, 0.98, points=40, points_uncounted=1).held


@pytest.mark.django_db
def test_commits_missing_on_a_crashed_replica_count_as_lost():
    bad = state(0.2, TORN, lost_replica=LostWork(16, 20.0))
    one = trials.experiment({"1/1": {"replica-crash-points": [(0, 0)]}}, replica=False, measured=0)
    one.plan["crash"]["kinds"] = ["replica-crash-points"]
    one.save()
    trial = one.trials.get()
    trial.evidence.data["points"] = story(state(0.1), bad).as_stored()
    trial.evidence.save()
    trial.verdict, trial.lost_replica = "invalid", 16
    trial.save()
    (tally,) = tallies(trials_of(one)).values()
    assert tally.says == "lost acknowledged commits at 1 of the 2 crash points of this load (at the worst one 16)"
    assert tally.missing == "16 commits" and list(losses(tally)) == [
        ("InnoDB lost up to 16 commits at a crash point", "")
    ]
    assert view(stored(story(bad))).violations[0].replica == 16


def test_a_setting_that_was_tried_with_its_safer_value_is_told(words):
    prevents = OtherSetting(name="sync_binlog", ran="0", other="1", same=False, tried=20, failed=0)
    does_not = replace(prevents, name="master_verify_checksum", ran="OFF", other="ON", same=True, tried=2, failed=2)
    torn = OtherPoint(
        moment=400, at_s=0.4, keeps="written", failed=("binlog-unreadable",), unclear=("gtid-reused",), says=TORN.says
    )
    down = replace(torn, failed=(), unclear=("lost-engine", "torn"), says="Unclear: the server took 60 s.")
    again = replace(prevents, failed=2, unclear=1, points=(torn, torn, down, torn))
    unclear = replace(prevents, unclear=1, points=(down,))
    settings = (prevents, does_not, again, unclear)
    words(told(story(state(0.1, LOST), settings=settings)))


def test_the_steps_of_a_history_that_are_enough_are_told(words):
    found = SmallestHistory(title="table made and dropped", steps=("CREATE TABLE c", "DROP TABLE c"), played=3)
    words(told(story(state(0.1), smallest=(found,))))


def test_the_shortest_load_is_told_or_that_none_was_found(words):
    found = ShortestLoad(
        checks=("lost-engine", "engine-only"), clients=1, commits=1, failed=1, tried=2, found=2, loads=1,
        statements=("BEGIN", "INSERT INTO one VALUES (0,1,0,7)", "COMMIT"), keeps="durable", acknowledged=1,
    )  # fmt: skip
    own = replace(found, clients=3, commits=2, failed=4, tried=40, found=61, statements=(), keeps="torn")
    none = replace(found, failed=0, statements=())
    loads = (found, replace(found, clients=2), own, none, replace(none, clients=3, commits=5, tried=90, found=99,
             loads=6), replace(none, loads=0))  # fmt: skip
    words(told(story(state(0.1), shortest=loads)))


def test_crash_points_are_counted_by_the_way_in_which_they_were_chosen():
    ways = view(stored(story(state(0.1), state(0.2, TORN, way="torn together"), state(0.3, LOST)))).ways
    assert [(one.title, one.tried, one.failed) for one in ways] == [("after a flush", 2, 1), ("torn together", 1, 1)]


def test_a_load_whose_time_was_over_says_how_much_is_left():
    known = dict(view(stored(story(state(0.1), out_of_time=True))).facts)
    assert known["Crash points tried"].startswith("1 of 8 moments")
    assert "time for crash points was over" in known["Crash points tried"]
    assert "was over" not in dict(view(stored(GOOD)).facts)["Crash points tried"]


def test_a_bound_over_loads_is_not_told_of_crash_points():
    assert "%" not in says(GOOD, GOOD)


def test_crash_points_and_independent_crashes_are_told_apart():
    power, load = Crashes("power-loss", 30, 0, 0, 0.1), Crashes(KIND, 3, 0, 0, 0.63, points=636)
    points = f"at any of {points_in_full(636, KIND, 3)}"
    assert where_tried([power, load]) == f"in 30 power losses, nor {points}"
    assert where_tried([load]) == points


def test_each_state_is_a_dot_and_failures_lie_on_top():
    drawn = crash_map(BAD.states)
    assert [dot.look for dot in drawn.dots] == ["kept", "unclear", "other", "lost"]
    assert all(0 <= place <= SIZE for dot in drawn.dots for place in (dot.x, dot.y))
    lost, unclear = drawn.dots[3], drawn.dots[1]
    assert lost.x < unclear.x and lost.y > unclear.y, "later points are further right and higher"


def test_without_a_binlog_dots_rise_with_time():
    drawn = crash_map([state(0.1, binlog=0), state(0.4, binlog=0)])
    assert drawn.binlog_bytes == 0 and drawn.dots[0].y > drawn.dots[1].y


VERTICAL = "Dots in a vertical line: between these moments no redo log reached the disk."


def test_the_page_shows_the_map_and_each_violation(client_in):
    trial = loads(BAD).trials.get()
    page = flat(client_in.get(reverse("results:trial", args=[trial.pk])).content.decode())
    assert sum(f'<circle class="{look}"' in page for look in ("kept", "unclear", "other", "lost")) == 4
    lost = naming("InnoDB", LOST.says)
    for part in ("Lost acknowledged commits at 1 of the 4 crash points of this load",
                 "4 of 11 moments", VERTICAL, lost, TORN.says, escape(UNCLEAR.says)):  # fmt: skip
        assert part in page, part
    assert "Commits in each place" not in page


def test_a_failed_check_counts_crash_points_and_not_transactions(client_in):
    """The control: one crash lost transactions, and its page counts them."""
    one = trials.experiment({"0/0": {KIND: [(5, 5)], "power-loss": [(5, 5)]}}, replica=False, measured=0)
    recorded_, crashed = one.trials.order_by("position")
    recorded_.evidence.data["points"] = BAD.as_stored()
    recorded_.evidence.save()
    page, control = (
        flat(client_in.get(reverse("results:trial", args=[each.pk])).text) for each in (recorded_, crashed)
    )
    assert "Transactions at this crash point" in page and "5 transactions" not in page
    assert "5 transactions" in control and "Transactions at this crash point" not in control


def test_the_list_of_trials_says_how_many_points_lost_commits_and_at_which_step_a_trial_failed(client_in):
    made = loads(BAD, GOOD)
    broken = made.trials.last()
    type(broken).objects.filter(pk=broken.pk).update(
        verdict="unknown", lost_engine=None, error="choose crash points: The disk is full."
    )
    page = " ".join(client_in.get(reverse("results:trials", args=[made.pk])).text.split())
    assert page.count("at 1 of 4 crash points") == 1
    assert page.count("shows the largest loss at any point") == 1
    assert page.count('<span class="soft">\N{EN DASH}</span>') == 2, (
        "how many were acknowledged stands on the trial's page"
    )
    assert "of 4 crash points" not in page.partition("at 1 of 4 crash points")[2], "the failed trial has none"
    assert "Failed at the step “choosing crash points”: The disk is full." in page


def test_how_many_violations_were_examined_is_told(words):
    facts = dict(view(stored(replace(BAD, violations=9, examined=8))).facts)
    words([facts["Failures examined"]])
    assert "Failures examined" not in dict(view(stored(GOOD)).facts)


def test_the_result_page_names_the_crash_points(client_in):
    one = loads(GOOD, GOOD)
    page = flat(client_in.get(reverse("results:page", args=[one.pk])).content.decode())
    found = 2 * (len(GOOD.states) + GOOD.left)
    assert f"lost nothing at any of 4 crash points (of {found} found; 2 in each of 2 loads)" in page


def test_flush_settings_of_a_replica_are_told_with_its_crash_points(client_in):
    one = loads(GOOD)
    says = "the replica is at 2/0 (flush_log/sync_binlog), whatever its primary has"
    assert says not in flat(client_in.get(reverse("results:page", args=[one.pk])).content.decode())
    one.plan["crash"]["replica_flushes"] = "2/0"
    one.save()
    assert says in flat(client_in.get(reverse("results:page", args=[one.pk])).content.decode())


def test_a_trial_without_recorded_load_has_no_such_part(client_in):
    trial = trials.experiment({"1/1": {"power-loss": [(0, 0)]}}, measured=0).trials.first()
    assert client_in.get(reverse("results:trial", args=[trial.pk])).context["load"] is None
