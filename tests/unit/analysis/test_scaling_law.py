"""The Universal Scalability Law is found again in curves that follow it, and refused for those that do not."""

from dataclasses import replace

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import tried
from workers.analysis import scaling_law
from workers.analysis.not_computable import NotComputable
from workers.analysis.scaling_law import Throughput, fit
from workers.analysis.statistics import Estimate

THREADS = (1, 2, 4, 8, 16, 32, 64)


def law(threads, per_thread, contention, coherency):
    n = np.asarray(threads, dtype=float)
    return per_thread * n / (1 + contention * (n - 1) + coherency * n * (n - 1))


def curve(per_thread, contention, coherency, threads=THREADS, noise=0.0, rng=None):
    tps = law(threads, per_thread, contention, coherency)
    if noise:
        tps = tps * np.exp(noise * rng.normal(size=len(threads)))
    off = 2 * noise
    return [Throughput(n, float(x), x * (1 - off), x * (1 + off)) for n, x in zip(threads, tps, strict=True)]


@given(per_thread=st.floats(1, 1e5), contention=st.floats(0, 0.9), coherency=st.floats(0, 0.05))
@settings(max_examples=tried(30), deadline=None)
def test_an_exact_law_is_found_again(per_thread, contention, coherency):
    found = fit(curve(per_thread, contention, coherency))
    assert found.per_thread_tps.value == pytest.approx(per_thread, rel=1e-6)
    assert found.contention.value == pytest.approx(contention, abs=1e-6)
    assert found.coherency.value == pytest.approx(coherency, abs=1e-6)
    assert found.misfit < 1e-6
    assert found.tps(5) == pytest.approx(float(law(5, per_thread, contention, coherency)), rel=1e-6)


def test_the_fit_is_the_one_of_scipy():
    """Curves of which each coefficient is zero in some."""
    rng = np.random.default_rng(1)
    threads = np.array(THREADS[2:], dtype=float)
    rising = threads ** rng.uniform(-3, 0.5, (300, 1))
    drawn = law(threads, 100, 0.1, 0.001) * rising * np.exp(0.2 * rng.normal(size=(300, threads.size)))
    found = scaling_law._coefficients(threads, drawn)
    terms = np.stack([np.ones_like(threads), threads - 1, threads * (threads - 1)], axis=1)
    for tps, ours in zip(drawn, found, strict=True):
        relative = terms * (tps / threads)[:, None]
        theirs = scipy.optimize.lsq_linear(relative, np.ones_like(tps), (0, np.inf), method="bvls").x
        assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-12)
        assert scaling_law._coefficients(threads, tps) == pytest.approx(ours, rel=1e-12)
    zero = (found == 0).sum(axis=0)
    assert (zero > 0).all() and (zero < 300).all(), zero


def test_the_peak_is_found():
    found = fit(curve(1000, 0.04, 0.0015, noise=0.02, rng=np.random.default_rng(1)))
    truth = np.sqrt((1 - 0.04) / 0.0015)  # 25.3
    assert found.peak_threads.lo <= truth <= found.peak_threads.hi
    assert found.peak_tps == pytest.approx(float(law(truth, 1000, 0.04, 0.0015)), rel=0.1)
    assert 1 < found.bend_threads < found.peak_threads.value


def test_a_curve_that_only_flattens_has_no_peak_but_a_bend():
    found = fit(curve(100, 0.25, 0))
    assert found.peak_threads is None
    assert found.bend_threads == pytest.approx(4, rel=0.01)  # 1 / contention


def test_a_straight_line_has_neither():
    found = fit(curve(100, 0, 0))
    assert found.peak_threads is None
    assert found.bend_threads is None


def test_a_peak_beyond_what_was_measured_is_not_told():
    assert fit(curve(1000, 0.001, 0.00001)).peak_threads is None  # at 316 threads


def test_intervals_hold_the_truth():
    rng = np.random.default_rng(2)
    found = [fit(curve(1000, 0.05, 0.001, noise=0.04, rng=rng)) for _ in range(tried(300))]
    for truth, name in ((1000, "per_thread_tps"), (0.05, "contention"), (0.001, "coherency")):
        held = [getattr(one, name).lo <= truth <= getattr(one, name).hi for one in found]
        assert np.mean(held) >= 0.9


def test_the_measured_intervals_count_too():
    points = curve(1000, 0.05, 0.001)
    wide = [Throughput(p.threads, p.tps, 0.7 * p.tps, 1.3 * p.tps) for p in points]
    assert fit(wide).contention.hi > fit(points).contention.hi + 0.01


def test_without_the_intervals_of_the_points_the_law_has_none():
    """One repeat, or two, of some point."""
    points = curve(1000, 0.04, 0.0015)
    found = fit([*points[1:], Throughput(points[0].threads, points[0].tps)])
    whole = fit(points)
    for name in ("per_thread_tps", "contention", "coherency", "peak_threads"):
        assert getattr(found, name) == Estimate(pytest.approx(getattr(whole, name).value))
    assert found.peak_tps == pytest.approx(whole.peak_tps)


def test_the_group_commit_of_fifteen_years_bends_where_it_should():
    """Figures of LAB.md: 5.5.9 with the binlog is flat from three fsyncs in series on; 5.6 hardly bends at 64."""
    old = fit([Throughput(n, x) for n, x in ((1, 62), (2, 118), (4, 180), (8, 182), (16, 184), (64, 180))])
    new = fit([Throughput(n, x) for n, x in ((1, 91), (2, 150), (4, 270), (8, 510), (16, 944), (64, 3303))])
    assert isinstance(old, NotComputable) or old.bend_threads < 8
    assert new.peak_threads is None


@pytest.mark.parametrize(
    "points",
    [
        [],
        curve(100, 0.1, 0, threads=(1, 2, 4)),
        curve(100, 0.1, 0, threads=(4, 5, 6, 7)),
        [*curve(100, 0.1, 0), Throughput(64, 5.0)],
        [*curve(100, 0.1, 0)[:-1], Throughput(64, 0.0)],
        [*curve(100, 0.1, 0)[:-1], Throughput(64, float("nan"))],
        [Throughput(n, 100.0 * n**2) for n in THREADS],  # faster than the threads
        [Throughput(n, 100.0 if i % 2 else 900.0) for i, n in enumerate(THREADS)],  # no law
    ],
)
def test_points_that_the_law_cannot_describe_are_not_computable(points):
    assert isinstance(fit(points), NotComputable)


@pytest.mark.parametrize(("threads", "fits"), [((1, 2, 3, 4), True), ((2, 3, 4, 7), False), ((1, 2, 4), False)])
def test_four_numbers_of_threads_that_span_four_times_the_fewest_are_needed(threads, fits):
    assert isinstance(fit(curve(1000, 0.1, 0.001, threads)), NotComputable) is not fits


@pytest.mark.parametrize(("odd", "told"), [(1, "with 1 thread it"), (64, "with 64 threads it")])
def test_where_the_law_does_not_fit_the_worst_point_is_named(odd, told):
    points = [replace(one, tps=one.tps * (0.2 if one.threads == odd else 1)) for one in curve(1000, 0.1, 0.001)]
    assert told in fit(points).why


def test_the_spread_of_a_point_is_its_interval_or_the_misfit_whichever_is_larger():
    points = [Throughput(n, 100.0, 90.0, 110.0) for n in (1, 2, 4, 8)]
    spreads = scaling_law._spreads(points, np.zeros(4))
    assert spreads == pytest.approx([10 / 1.959964 / 100] * 4)
    one_degree = 0.1 * 4.302653 / 1.959964  # Student's factor of two degrees of freedom
    assert scaling_law._spreads(points, np.array([0.1, 0, 0, 0])) == pytest.approx([one_degree] * 4)
    six, three_degrees = [Throughput(n, 100.0, 100.0, 100.0) for n in range(1, 7)], 3.182446
    off = np.array([0.1, 0, 0, 0, 0, 0])
    assert scaling_law._spreads(six, off) == pytest.approx([0.1 / 3**0.5 * three_degrees / 1.959964] * 6)
    for lo, hi in ((90.0, None), (None, 110.0), (None, None)):
        assert scaling_law._spreads([*points[:3], Throughput(8, 100.0, lo, hi)], np.zeros(4)) is None
