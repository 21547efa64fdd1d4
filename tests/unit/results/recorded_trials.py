"""For tests: experiments with recorded loads."""

from dataclasses import replace

from tests.unit.crash.recorded_states import LOST, TORN, UNCLEAR, state, story
from tests.unit.results import trials
from workers.crash.points.story import DecidingBlock

KIND = "every-crash-point"
GOOD = story(state(0.1), state(0.2))
MISSING = DecidingBlock(
    moment=200, keeps="durable", checks=("lost-engine",), path="data/ib_logfile0", offset=40960, role="redo",
    arrived=False, recoveries=7,
)  # fmt: skip
TORN_PAGE = replace(MISSING, path="", offset=8192, role="file system", arrived=True)
BAD = story(state(0.1), state(0.2, LOST, lost=3), state(0.3, TORN), state(0.4, UNCLEAR), deciding=(MISSING, TORN_PAGE))


def loads(*stories, kind=KIND):
    """An experiment with a recorded load for each story."""
    one = trials.experiment({"1/1": {kind: [(0, 0) for _ in stories]}}, replica=False, measured=0)
    one.plan["crash"]["kinds"] = [kind]
    one.save()
    for trial, each in zip(one.trials.order_by("position"), stories, strict=True):
        trial.evidence.data["points"] = each.as_stored()
        trial.evidence.save()
        trial.verdict = "invalid" if each.counts.failed else "valid"
        trial.lost_engine = max(one.lost_engine.transactions for one in each.states if one.lost_engine)
        trial.save()
    return one
