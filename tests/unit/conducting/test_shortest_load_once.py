"""The shortest load of a check is looked for once in an experiment, for each variant."""

import pytest

from tests.unit.crash.recorded_states import LOST, state, story
from tests.unit.results import trials
from workers.conducting.crash_trials import looked_for
from workers.crash.points.story import ShortestLoad

pytestmark = pytest.mark.django_db
KIND = "every-crash-point"


def test_checks_of_other_trials_of_the_variant_are_known():
    """Found or not. Neither a trial's own nor another variant's count, nor results without crash points."""
    one = trials.experiment({name: {KIND: [(3, 0)] * 4} for name in ("2/0", "0/0")}, replica=False, measured=0)
    first, second, third, fourth = one.trials.filter(variant="2/0").order_by("position")
    other = one.trials.filter(variant="0/0").first()
    of_trials = ((first, "lost-engine", 1), (second, "lost-binlog", 0), (other, "torn", 1), (fourth, "order", 1))
    for trial, key, failed in of_trials:
        load = ShortestLoad(checks=(key,), clients=1, commits=1, failed=failed, tried=2, found=2, loads=1)
        trial.evidence.data["points"] = story(state(0.2, LOST, lost=3), shortest=(load,)).as_stored()
        trial.evidence.save()
    assert looked_for(fourth) == {"lost-engine", "lost-binlog"}
    assert looked_for(third) == {"lost-engine", "lost-binlog", "order"} and looked_for(other) == frozenset()
