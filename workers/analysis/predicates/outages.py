"""Predicate on failovers: how much shorter or longer writes were refused than with another variant."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workers.analysis import statistics
from workers.analysis.blocks import Sample
from workers.analysis.predicates.bounds import Effect
from workers.analysis.predicates.measured import MeasuredResult
from workers.analysis.predicates.predicate import Predicate

TOO_FEW = f"fewer than {statistics.MIN_REPEATS} failovers of each were tried, so there is no interval"


@dataclass(frozen=True)
class OutageRatio(Predicate):
    """The write outage of one variant over that of another, after the same fault. A trial whose outage is not known
    leaves all of it undecided: it may be the longest one."""

    of: str
    over: str
    kind: str

    def measure(self, measured: MeasuredResult) -> Effect:
        if why := measured.distrust():
            return Effect("times", why=why.rstrip("."))
        for variant in (self.of, self.over):
            if why := self._gap(measured, variant):
                return Effect("times", why=f"{variant}: {why}")
        found = statistics.ratio(*(self._sample(measured, variant) for variant in (self.of, self.over)))
        if found is None:
            return Effect("times", why="an outage took no time")
        return Effect("times", found.value, found.lo, found.hi, "" if found.interval else TOO_FEW)

    def _gap(self, measured: MeasuredResult, variant: str) -> str:
        if left := measured.open_crashes(variant, self.kind):
            return f"{left} of the planned crashes did not end"
        ended = measured.crashes(variant, self.kind)
        if not ended:
            return f"no {self.kind.replace('-', ' ')} was tried"
        unknown = sum(crash.outage_s is None for crash in ended)
        return f"the write outage of {unknown} of {len(ended)} trials is not known" if unknown else ""

    def _sample(self, measured: MeasuredResult, variant: str) -> Sample:
        """Trials of two variants are no pairs."""
        trials = enumerate(measured.crashes(variant, self.kind))
        return {(variant, number): np.array([crash.outage_s], dtype=float) for number, crash in trials}

    @property
    def in_words(self) -> str:
        return f"write outage after a {self.kind.replace('-', ' ')}: {self.of} divided by {self.over}"

    def as_dict(self) -> Mapping[str, object]:
        return {"outages": {"variant": self.of, "over": self.over, "kind": self.kind}}
