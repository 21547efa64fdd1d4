"""How long a block of dependent seconds is, worked out by hand."""

import numpy as np
import pytest

from workers.analysis.blocks import block_length, block_means, lag_correlation

ALTERNATING = np.array([1.0, 2.0] * 500)  # neighbours are as unlike as can be: held at 0
RAMP = np.arange(1000.0)  # as like as can be: held at 0.9


@pytest.mark.parametrize(
    ("repeats", "seconds"),
    [
        ({1: ALTERNATING}, 10),  # the cube root of 1000
        ({1: RAMP}, 51),  # the cube root of 1.5 x (1.8 / 0.19)^2 x 1000
        ({1: RAMP, 2: RAMP[:64]}, 16),  # a quarter of the shorter one
        ({1: RAMP[:4]}, 1),
        ({1: RAMP[:2]}, 1),
    ],
)
def test_a_block_is_longer_the_more_neighbours_resemble_each_other(repeats, seconds):
    assert block_length(repeats) == seconds


def test_the_correlation_of_neighbours_is_corrected_for_its_bias():
    """Raw: (0.75 - 0.25 + 0.75) / 5 = 0.25; the correction adds (1 + 4 x 0.25) / 4."""
    assert lag_correlation({1: np.array([1.0, 2.0, 3.0, 4.0])}) == pytest.approx(0.75)
    assert lag_correlation({1: np.array([5.0, 5.0, 5.0])}) == 0.0


def test_blocks_do_not_overlap_and_a_rest_is_cut():
    assert block_means({1: np.arange(7.0), 2: np.arange(2.0)}, 3).tolist() == [1.0, 4.0]
    assert block_means({}, 3).size == 0
