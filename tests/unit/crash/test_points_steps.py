"""The steps of a recorded load: what is tried, what is looked for afterwards, and what the result says of it. Lanes and
recoveries are made up."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from tests.unit.crash.parts import prepared
from tests.unit.crash.recorded_states import LOST, TORN, state
from tests.unit.sandbox.recordings import Written
from workers.crash.ledger import Ledger
from workers.crash.points import steps
from workers.crash.points.attempts import Attempts
from workers.crash.points.recorded import Recorded
from workers.crash.points.story import RECORDING, DecidingBlock, KeptPoint
from workers.crash.points.untried import UntriedPoint
from workers.crash.points.violations import MOST, MOST_KEPT
from workers.errors import SandboxError
from workers.sandbox.disk.recording.joint import JointChoice, JointPoint, JointStates
from workers.sandbox.disk.recording.points import Reached
from workers.sandbox.disk.recording.states import States

KEPT = KeptPoint(number=1, moment=1, at_s=0.1, keeps="durable", checks=(), n_bytes=9)


def block(path):
    return DecidingBlock(
        moment=1, keeps="durable", checks=("lost-engine",), path=path, offset=0, role="redo", arrived=True, recoveries=1
    )


@pytest.fixture
def recorded(tmp_path):
    """`recorded(kind, **setup)`: a load of two disks, each with three writes and two flushes."""

    def load(kind="every-crash-point", **setup):
        recordings = []
        for name in ("data", "logs"):
            folder = tmp_path / f"{kind} {name} {len(list(tmp_path.iterdir()))}"
            folder.mkdir()
            written = Written(folder)
            for number in range(2):
                written.write(number, b"x")
                written.flush()
            written.write(2, b"y")
            recordings.append(written.load())
        begun = prepared(notes := [], kind)
        begun.witness._answers["ledger"] = Ledger(())
        begun = replace(begun, setup=replace(begun.setup, points=3, **setup))
        return Recorded(
            **vars(begun), recording=recordings[0], more=tuple(recordings[1:]), margin_s=0.25, bracket_s=0.5,
            whole=Ledger(()), before=None, named=None, stops=(4, 6),
            stops_took="",
        ), notes  # fmt: skip

    return load


def lanes_of(load):
    states = JointStates([States(one) for one in (load.recording, *load.more)])
    return [SimpleNamespace(states=states, disks=("data", "logs")), SimpleNamespace(states=None, disks=())]


def choices_of(states, *at_ns, reached=None):
    points = [states.at(JointPoint(moment, ("durable", "written"))) for moment in at_ns]
    return [
        JointChoice(point, "together", Reached(4096 * n if reached is None else reached, 7), True)
        for n, point in enumerate(points)
    ]


class Judge:
    """`bad`: until_ns -> the checks that fail there. `busy`: these states cannot be made."""

    def __init__(self, bad, busy=()):
        self.bad, self.busy, self.tried = bad, busy, []

    def attempt(self, lane, choice):
        if choice.state.until_ns in self.busy:
            raise SandboxError("/dev/loop7 is busy.")
        self.tried.append(choice)
        return state(choice.state.until_ns / 100, *self.bad.get(choice.state.until_ns, ()), moment=len(self.tried))


@pytest.fixture
def attempted(recorded, monkeypatch):
    """`attempted(kind, bad, **setup)`: what is known afterwards, and what was looked for with which arguments."""

    def run(kind="every-crash-point", bad=None, examined=None, at_ns=(3, 5, 7, 2), replica=None, busy=(), **setup):
        load, notes = recorded(kind, **setup)
        load, asked = replace(load, replica=replica), SimpleNamespace(shrunk=None, tried=None, search=None, kept=None)
        ready = lanes_of(load)
        asked.load, asked.ready, asked.notes = load, ready, notes

        class Shrinker:
            not_again = 3

            def __init__(self, judge, lane, files):
                assert (lane, files) == (ready[0], "files")

            def all(self, violations, every):
                asked.shrunk = (violations, every)
                return examined(violations, every) if examined else [(one, block("a")) for one in violations]

        class Search:
            def __init__(self, load, record, number):
                assert record is steps.again
                asked.search, self.kept, self.archives = [number], [replace(KEPT, number=number)], {number: b"short"}

            def all(self, violations):
                asked.search.append(violations)
                return ("the shortest",)

        def tried_otherwise(load, lane, violations, tried):
            assert lane is ready[0] and tried is steps._states_of
            asked.tried = violations
            return ("a setting",)

        def keep(load, states, violations):
            assert states is ready[0].states
            asked.kept = violations
            return ([KEPT], {1: b"kept"}) if violations else ([], {})

        for name, one in {"Shrinker": Shrinker, "Search": Search, "tried_otherwise": tried_otherwise, "keep": keep,
                          "keep_recording": lambda load: ("recording", b"all of it")}.items():  # fmt: skip
            monkeypatch.setattr(steps, name, one)
        asked.judge = Judge(bad or {}, busy)
        asked.choices = choices_of(ready[0].states, *at_ns)
        monkeypatch.setattr(steps, "prepared_points", lambda load: (ready, "files", asked.choices))
        monkeypatch.setattr(steps, "StateJudge", lambda load: asked.judge)
        asked.attempted = steps.attempt(load)
        return steps.examine(asked.attempted), asked

    return run


def test_each_point_is_tried_and_told_in_time(attempted):
    """Four were found, and three are to be tried."""
    found, asked = attempted()
    story = found.story
    assert sorted(asked.judge.tried, key=id) == sorted(asked.choices[:3], key=id)
    times = [one.at_s for one in story.states]
    assert times == sorted(times) and len(times) == 3
    assert (story.left, story.out_of_time, story.lanes, story.violations, story.examined) == (1, False, 2, 0, 0)
    assert (story.pairs, story.covered, story.writes, story.flushes) == (4, 3, 6, 4)
    assert (story.margin_s, story.bracket_s, story.ended) == (0.25, 0.5, "")
    assert story.recorded_s == found.at_s(asked.ready[0].states.end_ns) and 0 < story.took_s < 60
    last = asked.choices[3]
    assert story.untried == (
        UntriedPoint(
            moment=last.state.points[-1].moment, at_s=found.at_s(last.state.until_ns), keeps=found.keeps(last.state),
            way="together", redo=3 * 4096, binlog=7,
        ),
    )  # fmt: skip
    assert asked.notes == ["[crash points]"]


def test_pairs_that_several_points_reach_count_once(recorded):
    load, _ = recorded()
    choices = choices_of(lanes_of(load)[0].states, 3, 5, reached=4096)
    found = Attempts([(state(0.1), choices[0])], choices[1:], 0, "", out_of_time=True)
    story = steps.story_of(load, lanes_of(load)[0].states, choices, found, 1, 0.0)
    assert (story.pairs, story.covered, story.left) == (1, 1, 1)


@pytest.mark.parametrize(("points_s", "tried", "out_of_time"), [(-1.0, 1, True), (60.0, 3, False)])
def test_a_load_is_out_of_time_if_fewer_were_tried_than_asked_for(attempted, points_s, tried, out_of_time):
    story = attempted(points_s=points_s)[0].story
    assert (len(story.states), story.out_of_time) == (tried, out_of_time)


def test_all_points_of_a_small_load_are_in_time(attempted):
    story = attempted(at_ns=(3, 5))[0].story
    assert (len(story.states), story.left, story.out_of_time) == (2, 0, False)


@pytest.fixture
def violated(attempted, recorded):
    """As `attempted`, with a violation at each of three points: two kinds."""
    load, _ = recorded()
    moments = [one.state.until_ns for one in choices_of(lanes_of(load)[0].states, 3, 5, 7)]
    return lambda kind="every-crash-point", **more: attempted(
        kind, dict(zip(moments, ((LOST,), (TORN,), (LOST,)), strict=True)), at_ns=(3, 5, 7), **more
    )


def test_of_violations_the_deciding_block_the_settings_and_the_shortest_load_are_looked_for(violated):
    found, asked = violated()
    firsts, every = asked.shrunk
    assert [set(one.failed) for one in firsts] == [{"lost-engine"}, {"binlog-unreadable"}] and len(every) == 3
    assert asked.kept == asked.tried == firsts and asked.search == [2, firsts]
    assert asked.notes == ["[crash points]", "[violations]"]
    assert asked.attempted.so_far().verdict == "invalid", "before they are examined"
    story = found.story
    assert story.deciding == (block("a"), block("a")) and story.kept == (KEPT, replace(KEPT, number=2))
    assert (story.settings, story.shortest) == (("a setting",), ("the shortest",))
    assert (story.violations, story.examined, story.not_again, story.recording) == (2, 2, 3, None)
    assert found.archives == {1: b"kept", 2: b"short"}
    assert found.so_far().points == story and found.so_far().archives == found.archives
    assert found.so_far().verdict == "invalid"


def test_a_further_violation_that_was_examined_is_counted_and_a_block_that_was_not_found_is_not_told(violated):
    found, asked = violated(examined=lambda firsts, every: [(one, None) for one in firsts] + [(every[-1], block("b"))])
    assert (found.story.violations, found.story.examined) == (3, 3)
    assert found.story.deciding == (block("b"),) and len(asked.kept) == 3


def test_only_some_violations_are_kept_and_tried_with_other_settings(violated):
    """Of this many, each is decided by another file."""
    found, asked = violated(examined=lambda firsts, every: [(firsts[0], block(str(n))) for n in range(MOST + 2)])
    assert (len(asked.kept), len(asked.tried), len(found.story.deciding)) == (MOST_KEPT, MOST, MOST + 2)


def test_after_a_kill_no_block_decides_and_nothing_was_flushed(violated):
    found, asked = violated("kill-points")
    assert asked.shrunk is None and [set(one.failed) for one in asked.kept] == [{"lost-engine"}, {"binlog-unreadable"}]
    story = found.story
    assert (story.pairs, story.covered, story.violations, story.examined, story.deciding) == (0, 0, 2, 0, ())
    assert asked.notes == ["[crash points]"]


def test_a_replica_and_its_primary_have_one_lane(recorded, monkeypatch):
    load, _ = recorded()
    load, asked = replace(load, replica="replica"), []
    monkeypatch.setattr(steps, "lane_with", lambda replica, load, states: replica)
    monkeypatch.setattr(steps, "maps_of", lambda lane: "files")
    monkeypatch.setattr(steps, "choices_of", lambda *given: asked.append(given[-1]) or ["a choice"])
    assert steps.prepared_points(load) == (("replica",), "files", ["a choice"]) and asked == [True]


def test_a_recording_is_kept_if_it_is_asked_for(attempted):
    found, _ = attempted(keep_recording=True)
    assert (found.story.recording, found.archives[RECORDING]) == ("recording", b"all of it")
    assert RECORDING not in attempted()[0].archives


def test_points_are_chosen_from_all_disks_with_the_files_on_them(recorded, monkeypatch):
    load, notes = recorded()
    made, asked = lanes_of(load), []
    monkeypatch.setattr(steps, "lanes", lambda load, states: made if len(states.disks) == 2 else None)
    monkeypatch.setattr(steps, "choices_of", lambda *given: asked.append(given) or ["a choice"])
    monkeypatch.setattr(steps.FileMap, "of", lambda states, disk: (states, disk))
    ready, files, choices = steps.prepared_points(load)
    first, second = made[0].states.disks
    assert (ready, files, choices) == (made, [(first, "data"), (second, "logs")], ["a choice"])
    assert [one[1:] for one in asked] == [(files, load.setup.seed, 3, False)] and notes == ["[choose crash points]"]


def test_kill_points_are_those_of_the_stops(recorded, monkeypatch):
    load, _ = recorded("kill-points")
    monkeypatch.setattr(steps, "lanes", lambda load, states: ["a lane"])
    monkeypatch.setattr(steps, "kill_points_of", lambda states, stops, seed: [stops, seed])
    assert steps.prepared_points(load) == (["a lane"], (), [(4, 6), load.setup.seed])


def test_points_that_cannot_be_made_are_not_tried_and_a_violation_still_decides(violated):
    """The disk of the last one is busy; without its violation two are left."""
    found, asked = violated(busy=[one.state.until_ns for one in violated()[1].choices[2:]])
    story, result = found.story, found.so_far()
    assert (len(story.states), story.left, story.unmade, story.out_of_time) == (2, 1, 1, False)
    assert [one.moment for one in story.untried] == [asked.choices[2].state.points[-1].moment]
    assert (story.pairs, story.covered, story.counts.failed) == (3, 2, 2)
    assert (result.verdict, result.failed_at) == ("invalid", "crash points")
    assert result.error == "1 crash point could not be made and was not tried: /dev/loop7 is busy."


def test_without_a_violation_points_that_could_not_be_made_leave_the_trial_unclear(attempted):
    busy = [one.state.until_ns for one in attempted()[1].choices[1:3]]
    found, _ = attempted(busy=busy)
    result = found.so_far()
    assert (result.verdict, result.failed_at, found.story.left) == ("unknown", "crash points", 3)
    assert result.error == "2 crash points could not be made and were not tried: /dev/loop7 is busy."
    assert attempted()[0].so_far().error == ""
    with pytest.raises(SandboxError, match=r"No crash point could be made: /dev/loop7 is busy\."):
        attempted(busy=[*busy, *(one.state.until_ns for one in attempted()[1].choices)])


@pytest.fixture
def made(recorded, monkeypatch):
    """Each step adds its name; the load has three choices, one of them with a violation."""
    load, _ = recorded()
    lanes = lanes_of(load)
    choices = choices_of(lanes[0].states, 3, 5, 7)
    for name in ("start", "prepare"):
        monkeypatch.setattr(steps, name, lambda begun, name=name: f"{begun} {name}")
    monkeypatch.setattr(steps, "record", lambda begun: load if begun == "begun start prepare" else None)
    monkeypatch.setattr(steps, "prepared_points", lambda given: (lanes, "files", choices))
    monkeypatch.setattr(steps, "StateJudge", lambda given: Judge({choices[1].state.until_ns: (LOST,)}))
    return load, lanes, choices


def test_the_steps_of_a_trial_come_one_after_the_other(made, monkeypatch):
    load, *_ = made
    monkeypatch.setattr(steps, "attempt", lambda load: ["attempted", load])
    monkeypatch.setattr(steps, "examine", lambda attempted: ["examined", *attempted])
    done = list(steps.steps("begun"))
    assert done == ["begun start", "begun start prepare", load, ["attempted", load], ["examined", "attempted", load]]


def test_another_load_tries_the_points_that_are_wanted(made):
    load, lanes, choices = made
    found = steps.again("begun", lambda one: one is not choices[0], steps.monotonic() + 60)
    assert (found.load, found.states, found.tried, found.found) == (load, lanes[0].states, 2, 2)
    assert [set(one.failed) for one in found.violations] == [{"lost-engine"}]
    late = steps.again("begun", lambda one: True, steps.monotonic() - 5)
    assert (late.tried, late.found) == (1, 3), "the first one is always tried"


def test_a_load_with_another_setting_is_recovered_at_all_its_points(made):
    assert [one.verdict for one in steps._states_of("begun")].count("invalid") == 1
    assert len(steps._states_of("begun")) == 3
