"""How long writes stand still while nobody takes over."""

import numpy as np
import pytest

from tests.unit.topology.test_failover_story import clients, reconnected, returned
from workers.topology.judge import judge
from workers.topology.stall import WriteStall, longest


@pytest.mark.parametrize(
    ("times", "found"),
    [
        ((0.5, 0.9, 1.1, 6.2, 6.3), WriteStall(pytest.approx(5.1), True)),
        ((0.1, 0.2, 1.5, 1.6, 2.5, 3.5, 4.6, 5.7, 6.8, 7.5), WriteStall(pytest.approx(1.3), True)),
        ((0.1, 5.0), WriteStall(pytest.approx(4.9), True)),
        ((0.9, 1.1), WriteStall(pytest.approx(6.9), False)),
        ((), WriteStall(pytest.approx(7.0), False)),
        ((np.nan, 0.9, np.inf, 1.2, 7.9), WriteStall(pytest.approx(6.7), True)),
        ((0.9, 1.1, 2.9, 4.5, 6.0, 7.5, 8.0, 12.0), WriteStall(pytest.approx(1.8), True)),
    ],
    ids=[
        "after the fault",
        "across the fault",
        "nothing before 5 s",
        "never again",
        "nothing at all",
        "in doubt",
        "after the load",
    ],
)
def test_the_longest_time_without_an_acknowledgement_reaches_beyond_the_fault(times, found):
    """The fault came at 1 s, and the load ended at 8 s."""
    assert longest(np.array(times), 1.0, 8.0) == found


def test_a_stall_is_told_only_where_the_primary_went_on():
    answered = {"witness": clients(10.0, (0.5, 1.2, 6.0), (0.9, 6.1)), "after": reconnected((97.0,))}
    story = judge(returned("replica-pause", "semi-sync", **answered)).result.story
    assert story.stall == WriteStall(pytest.approx(83.9), False) and story.outage is None, "the load ended at 90 s"
    assert judge(returned()).result.story.stall is None
