"""Made-up states of a recorded load."""

from workers.crash.points.story import PointsStory, TriedState
from workers.crash.setup_and_result import LostWork
from workers.crash.verdict import CheckResult, verdict

LOST = CheckResult(
    "lost-engine", "invalid", 3, "3 of 10 acknowledged transactions are missing in the engine.", ((1, 4),)
)
TORN = CheckResult("binlog-unreadable", "invalid", 1, "A replica cannot read the binary log to its end.")
UNCLEAR = CheckResult("tables-damaged", "unknown", 0, "Unclear: the tables' state could not be read.")


def state(at_s, *bad, lost=0, passed=("stays-down", "torn"), **more):
    known = {
        "moment": round(1000 * at_s), "keeps": "durable", "way": "after a flush", "acknowledged": 10,
        "redo": round(4096 * at_s), "binlog": round(1024 * at_s), "recovery_s": 0.3, "took_s": 0.6,
        "lost_engine": LostWork(lost, 1.5 * lost), "lost_binlog": LostWork(0, 0.0),
    }  # fmt: skip
    decided = verdict((*bad, *(CheckResult(key, "valid", 0, "") for key in passed)))
    return TriedState(**known | more, at_s=at_s, checks=bad, passed=passed, verdict=decided)


def story(*states, **more):
    known = {
        "pairs": 40, "covered": 30, "left": 7, "writes": 900, "flushes": 300, "recorded_s": 2.0, "ended": "",
        "margin_s": 0.0, "lanes": 2, "took_s": 9.0,
    }  # fmt: skip
    return PointsStory(states=states, **known | more)
