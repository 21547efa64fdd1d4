"""Predicates on points: what is missing makes them undecidable, and every figure is the one that was asked for."""

import numpy as np
import pytest

from tests.unit.analysis.made_up import BROKE_OFF, HELD, LOST, MadeUp, at
from workers.analysis.predicates.bounds import Bounds, Effect
from workers.analysis.predicates.crashes import CrashShare
from workers.analysis.predicates.points import PER_COMMIT, SPEEDS, TOO_FEW, PointFigure, SpeedRatio, Steps
from workers.analysis.statistics import Estimate


def speed(*means):
    return {n: np.full(5, float(mean)) for n, mean in enumerate(means)}


KNOWN = {at(): speed(10, 11, 9), at("off"): speed(100, 101, 99)}
SHORT = {at("slow", 1): speed(5, 5), at("slow", 4): speed(9, 9)}


def test_rows_per_second_are_not_commits_per_second():
    result = MadeUp(KNOWN, rows_each=1000)
    assert PointFigure(at(), SPEEDS[0]).measure(result).value == pytest.approx(10)
    assert PointFigure(at(), SPEEDS[1]).measure(result).value == pytest.approx(10_000)


@pytest.mark.parametrize("figure", SPEEDS)
def test_a_speed_is_told_per_second(figure):
    assert PointFigure(at(), figure).measure(MadeUp(KNOWN)).unit == "per second"


@pytest.mark.parametrize(("figure", "unit"), [(PER_COMMIT[0], "per commit"), ("commits per group", "commits")])
def test_each_figure_has_its_own_unit_and_source(figure, unit):
    result = MadeUp(KNOWN, figures={(at(), figure): Estimate(2.0, 1.9, 2.1)})
    found = PointFigure(at(), figure).measure(result)
    assert (found.unit, found.value, found.why) == (unit, 2.0, "")
    assert PointFigure(at(), figure).measure(MadeUp(KNOWN)).why == f"no source has the {figure} here"


@pytest.mark.parametrize("figure", [SPEEDS[0], PER_COMMIT[0]])
def test_a_point_with_a_missing_repeat_is_not_told(figure):
    result = MadeUp({}, figures={(at(), figure): Estimate(2.0, 1.9, 2.1)})
    found = PointFigure(at(), figure).measure(result)
    assert found.value is None and found.why.endswith("1 of 2 repeats failed")


@pytest.mark.parametrize(("lo", "hi"), [(None, 3.0), (1.0, None), (None, None)])
def test_a_figure_without_both_ends_says_why(lo, hi):
    result = MadeUp(KNOWN, figures={(at(), PER_COMMIT[0]): Estimate(2.0, lo, hi)})
    assert PointFigure(at(), PER_COMMIT[0]).measure(result).why == TOO_FEW


def test_a_ratio_against_one_that_was_not_measured_is_not_told():
    than = SpeedRatio(at("slow", 4), at("slow", 1))
    found = SpeedRatio(at(), at("off"), than=than).measure(MadeUp(KNOWN))
    assert found.value is None and "slow" in found.why


def test_a_ratio_against_one_without_an_interval_has_none():
    than = SpeedRatio(at("slow", 4), at("slow", 1))
    found = SpeedRatio(at(), at("off"), than=than).measure(MadeUp({**KNOWN, **SHORT}))
    assert found.value == pytest.approx((1 / 10) / (9 / 5), rel=0.05)
    assert (found.lo, found.hi, found.why) == (None, None, TOO_FEW)


def test_steps_of_which_one_is_short_are_not_told():
    points = {at("s", 1): speed(1, 1.1, 0.9), at("s", 4): speed(4, 4.1, 3.9), at("s", 16): speed(16, 16)}
    asked = Steps(tuple(points))
    assert asked.measure(MadeUp(points)).why == TOO_FEW
    whole = {**points, at("s", 16): speed(16, 16.1, 15.9)}
    assert asked.measure(MadeUp(whole)).value == pytest.approx(4, rel=0.05)


@pytest.mark.parametrize(("threads", "words"), [(1, "1 thread"), (2, "2 threads")])
def test_threads_are_told_as_english_does(threads, words):
    assert at("on", threads).in_words == f"on, update, {words}"


NEVER = CrashShare(("1/1",), ("power-loss",), checks=("lost-engine",))


def test_a_kind_of_crash_that_was_neither_planned_nor_tried():
    found = NEVER.measure(MadeUp())
    assert (found.value, found.why) == (None, "crashes are missing: no power loss of 1/1")


def test_unknown_trials_are_mentioned_only_if_there_are_some():
    def why(*trials):
        return NEVER.measure(MadeUp(trials={("1/1", "power-loss"): trials})).why

    assert why(HELD, BROKE_OFF) == "1 of them are unknown"
    assert why(HELD, LOST) == ""


@pytest.mark.parametrize(("limit_ms", "share"), [(899, 1.0), (900, 0.0), (901, 0.0)])
def test_just_as_long_is_not_longer(limit_ms, share):
    asked = CrashShare(("2/0",), ("power-loss",), lost="engine", longer_than_ms=limit_ms)
    assert asked.measure(MadeUp(trials={("2/0", "power-loss"): [LOST]})).value == share


@pytest.mark.parametrize(("lo", "hi", "outcome"), [(2.0, 3.0, "not held"), (1.0, 2.0, "not decidable")])
def test_a_bound_itself_is_not_within(lo, hi, outcome):
    assert Bounds(below=2.0).judge(Effect("times", 2.0, lo, hi)) == outcome
    assert Bounds(above=3.0).judge(Effect("times", 3.0, 2.0, 3.0)) == "not held"


def test_commits_are_meant_where_no_figure_is_named():
    assert PointFigure(at()).as_dict()["value"]["figure"] == SPEEDS[0] == "commits per second"
    assert SpeedRatio(at(), at("off")).as_dict()["ratio"]["figure"] == SPEEDS[0]
