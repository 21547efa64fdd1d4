"""Each kind of predicate holds where it must, does not where it must not, and says when it cannot tell."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.analysis.made_up import BROKE_OFF, HELD, LOST, MadeUp, at
from tests.unit.analysis.noise import point
from workers.analysis.fsync_model import SizeSample, fit
from workers.analysis.predicates.bounds import Bounds, Effect
from workers.analysis.predicates.claim import Claim
from workers.analysis.predicates.crashes import FAILED, CrashShare
from workers.analysis.predicates.flush import FlushFigure
from workers.analysis.predicates.measured import Crash
from workers.analysis.predicates.points import PointFigure, SpeedRatio, Steps
from workers.analysis.statistics import Estimate
from workers.bench.trial_kinds import CHECK_TITLES

NUMBER = st.floats(-1e6, 1e6)


def measured(**levels):
    """`on_64=1000.0`: commits per second of that variant and number of threads."""
    rng = np.random.default_rng(6)
    points = {tuple(name.split("_")): level for name, level in levels.items()}
    return MadeUp({at(v, int(n)): point(rng, level, spread=level / 20) for (v, n), level in points.items()})


def outcome(predicate, result, **bounds):
    return Claim("G1", "", "", predicate, Bounds(**bounds)).judge(result)[0]


RATIO = SpeedRatio(at("on", 64), at("off", 64))


@pytest.mark.parametrize(("on", "expected"), [(50.0, "held"), (400.0, "not held"), (100.0, "not decidable")])
def test_a_ratio_is_held_by_its_whole_interval(on, expected):
    assert outcome(RATIO, measured(on_64=on, off_64=1000.0), below=0.1) == expected


def test_a_ratio_of_something_that_was_not_measured_is_not_decidable_and_says_why():
    effect = RATIO.measure(measured(on_64=50.0))
    assert effect.value is None
    assert effect.why == "off, update, 64 threads: 1 of 2 repeats failed"
    assert outcome(RATIO, measured(on_64=50.0), below=0.1) == "not decidable"


def test_a_ratio_over_nothing_is_not_decidable():
    result = MadeUp({at("on", 64): {0: np.full(30, 5.0)}, at("off", 64): {0: np.zeros(30)}})
    assert outcome(RATIO, result, above=1) == "not decidable"


def test_one_short_run_is_not_decidable():
    result = MadeUp({at("on", 64): {0: np.array([1.0, 1.0])}, at("off", 64): {0: np.array([100.0, 100.0])}})
    assert outcome(RATIO, result, below=0.1) == "not decidable"
    assert RATIO.measure(result).value == pytest.approx(0.01)


@pytest.mark.parametrize(("slow", "expected"), [(2000.0, "held"), (150.0, "not held"), (400.0, "not decidable")])
def test_a_gain_is_compared_with_another_gain(slow, expected):
    than = SpeedRatio(at("fast", 64), at("fast", 1))
    result = measured(slow_64=slow, slow_1=100.0, fast_64=400.0, fast_1=100.0)
    assert outcome(SpeedRatio(at("slow", 64), at("slow", 1), than=than), result, above=1) == expected


def test_rows_are_commits_times_their_rows():
    result = measured(on_1=20.0)
    result.rows_each = 1000
    assert outcome(PointFigure(at(), "rows per second"), result, above=10_000) == "held"
    assert outcome(PointFigure(at(), "rows per second"), result, above=30_000) == "not held"


@pytest.mark.parametrize(
    ("estimate", "expected"),
    [
        (Estimate(3.0, 2.9, 3.1), "held"),
        (Estimate(1.0, 0.9, 1.1), "not held"),
        (Estimate(2.5, 2.2, 2.8), "not decidable"),
        (Estimate(3.0), "not decidable"),
        (None, "not decidable"),
    ],
)
def test_a_figure_per_commit(estimate, expected):
    result = measured(on_1=100.0)
    result.figures = {(at(), "fsyncs per commit"): estimate}
    assert outcome(PointFigure(at(), "fsyncs per commit"), result, above=2.5, below=3.5) == expected


STEPS = Steps((at("off", 1), at("off", 4), at("off", 16)))


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ((100.0, 300.0, 900.0), "held"),
        ((100.0, 300.0, 200.0), "not held"),
        ((100.0, 300.0, 300.0), "not decidable"),
    ],
)
def test_every_step_must_grow(levels, expected):
    one, four, sixteen = levels
    assert outcome(STEPS, measured(off_1=one, off_4=four, off_16=sixteen), above=1) == expected


def test_steps_over_a_gap_are_not_decidable():
    assert outcome(STEPS, measured(off_1=1.0, off_4=2.0), above=1) == "not decidable"


NEVER = CrashShare(("1/1",), ("power-loss",), checks=("lost-engine",))


@pytest.mark.parametrize(
    ("trials", "expected"),
    [
        ([HELD] * 40, "held"),
        ([LOST] * 40, "not held"),
        ([HELD] * 5, "not decidable"),
        ([HELD] * 40 + [BROKE_OFF] * 10, "not decidable"),
        ([], "not decidable"),
    ],
)
def test_that_something_does_not_happen_needs_enough_crashes(trials, expected):
    assert outcome(NEVER, MadeUp(trials={("1/1", "power-loss"): trials}), below=0.1) == expected


def test_that_something_can_happen_is_held_once_it_was_seen():
    seen, unseen = ([LOST, *[HELD] * 9], [HELD] * 10)
    assert outcome(NEVER, MadeUp(trials={("1/1", "power-loss"): seen}), above=0) == "held"
    assert outcome(NEVER, MadeUp(trials={("1/1", "power-loss"): unseen}), above=0) == "not decidable"


def test_crashes_that_did_not_end_leave_it_open():
    result = MadeUp(trials={("1/1", "power-loss"): [HELD] * 40}, unfinished={("1/1", "power-loss"): 2})
    assert outcome(NEVER, result, below=0.1) == "not decidable"
    assert NEVER.measure(result).why == "2 of the planned crashes did not end"


def test_a_detector_that_failed_decides_nothing():
    result = MadeUp(trials={("1/1", "power-loss"): [HELD] * 40}, detector="Detector failed.")
    assert outcome(NEVER, result, below=0.1) == "not decidable"
    assert NEVER.measure(result).why == "Detector failed"


def test_a_check_that_did_not_apply_is_no_pass():
    asked = CrashShare(("1/1",), ("power-loss",), checks=("replica",))
    assert outcome(asked, MadeUp(trials={("1/1", "power-loss"): [HELD] * 40}), below=0.1) == "not decidable"


@pytest.mark.parametrize(("limit_ms", "expected"), [(1000, "held"), (500, "not held")])
def test_how_much_work_was_lost(limit_ms, expected):
    asked = CrashShare(("2/0",), ("power-loss",), lost="engine", longer_than_ms=limit_ms)
    assert outcome(asked, MadeUp(trials={("2/0", "power-loss"): [LOST] * 40}), below=0.1) == expected


def device(k_ms, mb_per_s, odd=1.0):
    """Fifteen rounds of a device on the line; `odd`: how far one size is off it."""
    rng = np.random.default_rng(3)
    sizes = (512, 4096, 65536, 1 << 20, 16 << 20)

    def times(size):
        line = (k_ms + size / (1000 * mb_per_s)) * (odd if size == 65536 else 1.0)
        return tuple(line * (1 + 0.02 * rng.normal(size=15)))

    return MadeUp(model=fit([SizeSample(size, times(size)) for size in sizes]))


@pytest.mark.parametrize(
    ("figure", "measured", "bounds", "expected"),
    [
        ("flushes per second", {"k_ms": 6.6, "mb_per_s": 120}, {"above": 135, "below": 165}, "held"),
        ("flushes per second", {"k_ms": 1.0, "mb_per_s": 120}, {"above": 135, "below": 165}, "not held"),
        ("time of 100 KB over one byte", {"k_ms": 6.6, "mb_per_s": 120}, {"below": 1.5}, "held"),
        ("time of 100 KB over one byte", {"k_ms": 0.1, "mb_per_s": 100}, {"below": 1.5}, "not held"),
        ("largest deviation from the line", {"k_ms": 5.0, "mb_per_s": 100}, {"below": 0.25}, "held"),
        ("largest deviation from the line", {"k_ms": 5.0, "mb_per_s": 100, "odd": 4.0}, {"below": 0.25}, "not held"),
        ("flushes per second", None, {"above": 1}, "not decidable"),
    ],
)
def test_the_device(figure, measured, bounds, expected):
    result = device(**measured) if measured else MadeUp()
    assert outcome(FlushFigure("on", figure), result, **bounds) == expected


@pytest.mark.parametrize(
    ("figure", "bounds", "told"),
    [
        ("largest deviation from the line", {"below": 0.25}, "below 25 %"),
        ("largest deviation from the line", {"above": 0, "below": 0.5}, "between 0 and 50 %"),
        ("flushes per second", {"above": 135, "below": 165}, "between 135 and 165"),
    ],
)
def test_a_bound_is_told_in_the_unit_of_what_is_measured(figure, bounds, told):
    assert Claim("F", "", "", FlushFigure("on", figure), Bounds(**bounds)).in_words == f"{figure}: device of on: {told}"


@st.composite
def effects(draw):
    lo, value, hi = sorted(draw(st.tuples(NUMBER, NUMBER, NUMBER)))
    return Effect("times", value, lo, hi)


@st.composite
def bounds(draw):
    above, below = sorted(draw(st.tuples(NUMBER, NUMBER).filter(lambda pair: pair[0] != pair[1])))
    which = draw(st.sampled_from(("above", "below", "both")))
    return Bounds(above if which != "below" else None, below if which != "above" else None)


def admits(bound, value):
    return (bound.above is None or value > bound.above) and (bound.below is None or value < bound.below)


@given(effects(), bounds())
def test_held_and_not_held_are_true_of_every_value_in_the_interval(effect, bound):
    found = bound.judge(effect)
    ends_and_middle = (effect.lo, effect.value, effect.hi)
    if found == "held":
        assert all(admits(bound, value) for value in ends_and_middle)
    if found == "not held":
        assert not any(admits(bound, value) for value in ends_and_middle)


@given(effects(), bounds(), st.floats(0, 1), st.floats(0, 1))
def test_knowing_more_never_turns_an_outcome_round(effect, bound, left, right):
    """A narrower interval round the same value keeps what was decided."""
    lo = effect.lo + (effect.value - effect.lo) * left
    hi = effect.hi - (effect.hi - effect.value) * right
    narrower = Effect("times", effect.value, min(lo, effect.value), max(hi, effect.value))
    before, after = bound.judge(effect), bound.judge(narrower)
    assert before in (after, "not decidable")


@given(bounds())
def test_an_effect_without_an_interval_is_not_decidable(bound):
    assert bound.judge(Effect("times")) == "not decidable"
    assert bound.judge(Effect("times", 1.0)) == "not decidable"
    assert bound.judge(Effect("times", 1.0, 0.9)) == "not decidable"


@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60))
def test_trials_that_could_not_tell_only_widen_a_share(held, lost, unknown):
    def share(trials):
        return NEVER.measure(MadeUp(trials={("1/1", "power-loss"): trials}))

    if not held + lost:
        return
    whole = share([HELD] * held + [LOST] * lost + [BROKE_OFF] * unknown)
    as_held = share([HELD] * (held + unknown) + [LOST] * lost)
    as_lost = share([HELD] * held + [LOST] * (lost + unknown))
    assert whole.lo == as_held.lo
    assert whole.hi == as_lost.hi


def test_a_claim_names_only_what_was_given():
    claim = Claim("G1", "It is fast.", "10", NEVER, Bounds(below=0.1))
    assert "today" not in claim.as_dict() and claim.as_dict()["below"] == 0.1
    assert Claim("G1", "", "", NEVER, Bounds(), "Servers changed.").as_dict()["today"] == "Servers changed."


def test_bounds_are_figures_unless_they_are_asked_for_as_shares():
    bounds = Bounds(above=0.05, below=0.5)
    assert bounds.in_words() == "between 0.05 and 0.5"
    assert bounds.in_words(percent=True) == "between 5 % and 50 %"


@pytest.mark.parametrize(("longer_than_ms", "counts"), [(None, "2 of 4"), (0.5, "1 of 4")])
def test_work_that_was_lost_counts_above_its_limit(longer_than_ms, counts):
    crashes = [Crash({}, {"engine": ms}) for ms in (0.0, 0.5, 0.6)] + [Crash({}, {})]
    limit = {} if longer_than_ms is None else {"longer_than_ms": longer_than_ms}
    found = CrashShare(("1/1",), ("power-loss",), lost="engine", **limit).measure(
        MadeUp(trials={("1/1", "power-loss"): crashes})
    )
    assert (found.counts, found.value, found.why) == (counts, int(counts[0]) / 4, "1 of them are unknown")


@pytest.mark.parametrize(("happened", "counts"), [("ghosts", "2 of 3"), ("stopped", "0 of 3")])
def test_an_event_counts_although_its_check_did_not_fail(happened, counts):
    crashes = [Crash({"rejoin": "valid"}, {}, {"ghosts": True, "stopped": False})] * 2 + [Crash({}, {})]
    asked = CrashShare(("1/1",), ("primary-kill",), happened=happened)
    found = asked.measure(MadeUp(trials={("1/1", "primary-kill"): crashes}))
    assert (found.counts, found.why) == (counts, "1 of them are unknown")


ON, OFF = ({"variant": variant, "workload": "update", "threads": 64} for variant in ("on", "off"))
LOST_WORK = CrashShare(("1/1", "2/0"), ("power-loss", "process-kill"), lost="binlog", longer_than_ms=100.0)


@pytest.mark.parametrize(
    ("predicate", "said", "written", "in_percent"),
    [
        (
            RATIO,
            "commits per second of on divided by those of off (update, 64 threads)",
            {"ratio": {**ON, "over": OFF, "figure": "commits per second"}},
            False,
        ),
        (
            SpeedRatio(at("on", 64), at("on", 1), "rows per second", than=RATIO),
            "rows per second of 64 threads divided by those of 1 thread (on, update); that divided by "
            + RATIO.in_words,
            {
                "ratio": {
                    **ON, "over": {**ON, "threads": 1}, "figure": "rows per second",
                    "than": {**ON, "over": OFF, "figure": "commits per second"},
                }
            },
            False,
        ),
        (
            PointFigure(at("on", 1), "fsyncs per commit"),
            "fsyncs per commit: on, update, 1 thread",
            {"value": {**ON, "threads": 1, "figure": "fsyncs per commit"}},
            False,
        ),
        (
            Steps((at("off", 1), at("on", 4))),
            "smallest growth of commits per second over 1, 4 threads: off",
            {"steps": {"variant": "off", "workload": "update", "threads": [1, 4]}},
            False,
        ),
        (
            CrashShare(("1/1",), ("power-loss",), checks=("lost-engine", "torn")),
            "share of crashes (1/1; power loss) after which acknowledged commits were missing in the engine "
            "or the check torn failed",
            {"crashes": {"variants": ["1/1"], "kinds": ["power-loss"], "checks": ["lost-engine", "torn"]}},
            True,
        ),
        (
            CrashShare(("1/1",), ("primary-kill",), happened="stopped"),
            "share of crashes (1/1; primary kill) after which the node that was down refused to go on",
            {"crashes": {"variants": ["1/1"], "kinds": ["primary-kill"], "happened": "stopped"}},
            True,
        ),
        (
            LOST_WORK,
            "share of crashes (1/1, 2/0; power loss or process kill) "
            "after which more than 100 ms of work was missing in the binary log",
            {
                "crashes": {
                    "variants": ["1/1", "2/0"], "kinds": ["power-loss", "process-kill"],
                    "lost": "binlog", "longer_than_ms": 100.0,
                }
            },
            True,
        ),
    ],
)  # fmt: skip
def test_a_predicate_is_read_and_written_in_full(predicate, said, written, in_percent):
    assert predicate.in_words == said
    assert predicate.as_dict() == written
    assert predicate.in_percent is in_percent
    claim = Claim("G1", "It is so.", "10", predicate, Bounds(above=0.5))
    texts = {"id": "G1", "says": "It is so.", "article": "10", "above": 0.5}
    assert claim.as_dict() == {**texts, **written}
    assert claim.in_words == f"{said}: above {'50 %' if in_percent else '0.5'}"


def test_words_of_a_failed_check_are_of_a_check_that_exists():
    assert set(FAILED) <= set(CHECK_TITLES)
