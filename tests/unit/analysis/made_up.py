"""A result as predicates see it, made up in memory."""

from dataclasses import dataclass, field

from workers.analysis.not_computable import NotComputable
from workers.analysis.predicates.measured import At, Crash

HELD = Crash({"lost-engine": "valid", "lost-binlog": "valid"}, {"engine": 0.0, "binlog": 0.0})
LOST = Crash({"lost-engine": "invalid", "lost-binlog": "valid"}, {"engine": 900.0, "binlog": 0.0})
BROKE_OFF = Crash({}, {})


def at(variant="on", threads=1, workload="update"):
    return At(variant, workload, threads)


@dataclass
class MadeUp:
    """`speeds`: point -> sample; a point without one is a gap."""

    speeds: dict = field(default_factory=dict)
    figures: dict = field(default_factory=dict)
    trials: dict = field(default_factory=dict)
    unfinished: dict = field(default_factory=dict)
    rows_each: int = 1
    detector: str = ""
    model: object = NotComputable("the device was not measured by size")

    def gap(self, point):
        return "" if point in self.speeds else "1 of 2 repeats failed"

    def commits(self, point):
        return self.speeds[point]

    def rows(self, point):
        return self.rows_each

    def per_commit(self, point, figure):
        return self.figures.get((point, figure))

    def distrust(self):
        return self.detector

    def crashes(self, variant, kind):
        return self.trials.get((variant, kind), ())

    def open_crashes(self, variant, kind):
        return self.unfinished.get((variant, kind), 0)

    def flushes(self, variant):
        return self.model
