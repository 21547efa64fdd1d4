"""The line K + N/R is found again in times that were made with it, and refused where there is none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import tried
from workers.analysis import fsync_model
from workers.analysis.fsync_model import FsyncModel, Residual, SizeSample, fit
from workers.analysis.not_computable import NotComputable
from workers.analysis.statistics import Estimate

SIZES = (512, 4096, 16384, 65536, 262144, 1 << 20, 4 << 20, 16 << 20)


def times(k_ms, mb_per_s, rounds=10, noise=0.0, rng=None, sizes=SIZES):
    rng = rng or np.random.default_rng(1)
    return [
        SizeSample(size, tuple((k_ms + size / mb_per_s / 1000) * np.exp(noise * rng.normal(size=rounds))))
        for size in sizes
    ]


@given(k_ms=st.floats(0.01, 50), mb_per_s=st.floats(5, 5000))
@settings(max_examples=tried(30), deadline=None)
def test_an_exact_line_is_found_again(k_ms, mb_per_s):
    found = fit(times(k_ms, mb_per_s))
    assert found.k_ms.value == pytest.approx(k_ms, rel=0.01)
    assert found.ms_per_byte.value == pytest.approx(1 / mb_per_s / 1000, rel=0.01)
    assert found.follows == "follows"
    assert found.half_bytes == pytest.approx(k_ms * mb_per_s * 1000, rel=0.02)
    assert found.ms(100_000) == pytest.approx(k_ms + 100 / mb_per_s, rel=0.01)


@given(scale=st.floats(0.001, 1000), seed=st.integers(0, 1000))
@settings(max_examples=tried(20), deadline=None)
def test_a_device_that_is_slower_by_a_factor_has_a_line_slower_by_that_factor(scale, seed):
    points = times(5, 100, noise=0.1, rng=np.random.default_rng(seed))
    slower = [SizeSample(one.size_bytes, tuple(scale * t for t in one.times_ms)) for one in points]
    one, other = fit(points), fit(slower)
    assert other.k_ms.value == pytest.approx(scale * one.k_ms.value, rel=1e-3)
    assert other.ms_per_byte.value == pytest.approx(scale * one.ms_per_byte.value, rel=1e-3)


@pytest.mark.parametrize("place", range(len(SIZES)))
def test_a_single_outlier_size_hardly_moves_the_fitted_line(place):
    points = times(5, 100, noise=0.02)
    odd = points[place]
    points[place] = SizeSample(odd.size_bytes, tuple(3 * t for t in odd.times_ms))
    found = fit(points)
    assert found.k_ms.value == pytest.approx(5, rel=0.1)
    assert found.ms_per_byte.value == pytest.approx(1e-5, rel=0.1)
    assert found.follows == "does not follow"
    assert max(found.residuals, key=lambda one: one.share.value).size_bytes == odd.size_bytes


def test_a_stall_in_a_round_does_not_count():
    points = [SizeSample(one.size_bytes, (*one.times_ms[:-1], 900.0)) for one in times(5, 100, noise=0.02)]
    assert fit(points).k_ms.value == pytest.approx(5, rel=0.05)


def test_plain_least_squares_would_have_missed_the_latency():
    """The control: without relative weights the noise of 16 MiB drowns K."""
    rng = np.random.default_rng(3)
    errors = {"plain": [], "ours": []}
    for _ in range(40):
        points = times(0.3, 100, rounds=9, noise=0.1, rng=rng)
        medians = [np.median(one.times_ms) for one in points]
        errors["plain"].append(abs(np.polyfit(SIZES, medians, 1)[1] - 0.3))
        errors["ours"].append(abs(fit(points).k_ms.value - 0.3))
    assert np.median(errors["ours"]) < 0.1 < np.median(errors["plain"])


def test_intervals_hold_the_truth():
    rng = np.random.default_rng(4)
    found = [fit(times(5, 100, rounds=8, noise=0.1, rng=rng)) for _ in range(tried(300))]
    for truth, name in ((5, "k_ms"), (1e-5, "ms_per_byte")):
        held = [getattr(one, name).lo <= truth <= getattr(one, name).hi for one in found]
        assert np.mean(held) >= 0.9


def test_a_device_that_does_not_follow_a_line_is_told():
    """A cache that takes 1 MiB at once, and then the medium: ten times slower from there on."""
    points = [
        SizeSample(size, tuple((5 + size / 1e6 + max(0, size - 2**20) / 1e4) * f for f in (0.98, 0.99, 1, 1.01, 1.02)))
        for size in SIZES
    ]
    assert fit(points).follows == "does not follow"


def test_noise_that_hides_the_line_is_unknown_and_never_follows():
    assert fit(times(5, 100, rounds=5, noise=0.8)).follows == "unknown"


def test_bytes_that_cost_nothing_leave_the_rate_open():
    found = fit(times(2, 1e12, noise=0.05))
    assert found.ms_per_byte.lo == 0
    assert found.ms(1 << 20) == pytest.approx(found.k_ms.value, rel=0.1)


def test_too_few_rounds_give_a_line_without_interval():
    found = fit(times(5, 100, rounds=3))
    assert isinstance(found, FsyncModel)
    assert found.k_ms.lo is None
    assert found.follows == "unknown"


@pytest.mark.parametrize(
    "points",
    [
        [],
        times(5, 100, sizes=(512, 4096, 65536)),
        times(5, 100, sizes=(512, 1024, 2048, 4096)),
        [*times(5, 100), *times(5, 100)],
        [*times(5, 100)[:-1], SizeSample(16 << 20, (1.0,))],
        [*times(5, 100)[:-1], SizeSample(16 << 20, (0.0,) * 10)],
        [*times(5, 100)[:-1], SizeSample(16 << 20, (float("nan"),) * 10)],
        [SizeSample(size, ()) for size in SIZES],
    ],
)
def test_points_that_are_no_sweep_are_not_computable(points):
    assert isinstance(fit(points), NotComputable)


def test_a_size_of_one_byte_is_a_size():
    assert not isinstance(fit([SizeSample(size, (1.0, 1.1)) for size in (1, 8, 64, 512)]), NotComputable)
    assert isinstance(fit([SizeSample(size, (1.0, 1.1)) for size in (0, 8, 64, 512)]), NotComputable)


def test_sizes_of_unequal_rounds_are_no_sweep():
    points = [SizeSample(size, (1.0, 1.1)) for size in (1, 8, 64)]
    assert isinstance(fit([*points, SizeSample(512, (1.0, 1.1, 1.2))]), NotComputable)


def test_times_that_fall_with_the_size_are_a_flat_line():
    points = [
        SizeSample(size, (time, time)) for size, time in zip((512, 4096, 32768, 262144), (4, 3, 2, 2), strict=True)
    ]
    found = fit(points)
    assert 2 <= found.k_ms.value <= 4 and (found.ms_per_byte.value, found.half_bytes) == (0, None)


def test_few_rounds_widen_the_interval_as_student_does(monkeypatch):
    widened, factors = fsync_model._widened, set()
    monkeypatch.setattr(fsync_model, "_widened", lambda draws, by: factors.add(round(by, 4)) or widened(draws, by))
    fit(times(5, 100, rounds=5, noise=0.05))
    assert factors == {round((5 / 4) ** 0.5 * 2.776445 / 1.959964, 4)}


def test_the_rate_is_told_exactly():
    assert fit(times(5, 100)).ms_per_byte.value == pytest.approx(1e-5, rel=1e-6)


@pytest.mark.parametrize(
    ("ends", "answer"),
    [
        ([(-0.25, 0.25), (0, 0)], "follows"),
        ([(0.25, 0.3)], "unknown"),
        ([(-0.3, -0.25)], "unknown"),
        ([(0.2501, 0.3)], "does not follow"),
        ([(-0.3, -0.2501)], "does not follow"),
        ([(0, 0), (0.2, 0.3)], "unknown"),
        ([(0, 0), (None, None)], "unknown"),
    ],
)
def test_every_size_must_be_shown_to_lie_within_a_quarter_of_the_line(ends, answer):
    sizes = [Residual(512, 1.0, 1.0, Estimate(0.0, lo, hi)) for lo, hi in ends]
    assert fsync_model._follows(sizes) == answer


def test_sizes_may_come_in_any_order():
    points = times(5, 100, noise=0.05)
    assert fit(points[::-1]) == fit(points)


def test_times_without_any_latency_have_none():
    sizes = (512, 4096, 65536, 262144)
    found = fit([SizeSample(size, (time, time)) for size, time in zip(sizes, (0.1, 1.2, 22, 90), strict=True)])
    assert (found.k_ms.value, found.half_bytes) == (0, 0) and 1 / 6000 < found.ms_per_byte.value < 1 / 2000


def test_draws_are_widened_about_their_middle():
    assert fsync_model._widened(np.array([0.0, 1.0, 5.0]), 2.0).tolist() == [-1, 1, 9]
