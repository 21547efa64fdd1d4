"""Predicate on the model of workers.analysis.round_trip: how far measured rates are from it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from workers.analysis import statistics
from workers.analysis.blocks import Sample
from workers.analysis.predicates.bounds import Effect
from workers.analysis.predicates.measured import At, MeasuredResult
from workers.analysis.predicates.points import TOO_FEW, gaps
from workers.analysis.predicates.predicate import Predicate
from workers.analysis.round_trip import predicted_per_s, waited_ms
from workers.analysis.statistics import Estimate


@dataclass(frozen=True)
class RoundTrips(Predicate):
    """The largest deviation of the points `delayed`, each with its round trip in ms, from the rate that the model
    predicts from the point `without` a round trip. `per_commit`: round trips that a commit waits for; those beyond the
    first as far as they exceed `group_flush_ms`."""

    without: At
    delayed: tuple[tuple[At, float], ...]
    per_commit: float = 1.0
    group_flush_ms: float = 0.0

    def measure(self, measured: MeasuredResult) -> Effect:
        if why := gaps(measured, (self.without, *(at for at, _ in self.delayed))):
            return Effect("deviation", why=why)
        found = [self._over_model(measured, at, rtt_ms) for at, rtt_ms in self.delayed]
        known = [one for one in found if one is not None]
        if len(known) < len(found):
            return Effect("deviation", why="one of the points has no commits")
        value = max(abs(one.value - 1) for one in known)
        ends = [_distances(*one.interval) for one in known if one.interval]
        if len(ends) < len(known):
            return Effect("deviation", value, why=TOO_FEW)
        return Effect("deviation", value, max(near for near, _ in ends), max(far for _, far in ends))

    def _over_model(self, measured: MeasuredResult, at: At, rtt_ms: float) -> Estimate | None:
        """Measured over predicted, repeat by repeat."""
        rates = {block: float(seconds.mean()) for block, seconds in measured.commits(self.without).items()}
        waited = waited_ms(rtt_ms, self.per_commit, self.group_flush_ms)
        model: Sample = {
            block: np.array([predicted_per_s(rate, self.without.threads, waited)])
            for block, rate in rates.items()
            if rate > 0
        }
        return statistics.ratio(measured.commits(at), model)

    @property
    def in_percent(self) -> bool:
        return True

    @property
    def in_words(self) -> str:
        delays = ", ".join(f"{rtt_ms:g}" for _, rtt_ms in self.delayed)
        trips = "round trip" if self.per_commit == 1 else f"{self.per_commit:g} round trips"
        less = f", less half a flush of {self.group_flush_ms:g} ms" if self.group_flush_ms else ""
        model = f"clients / (time of a commit + {trips}{less})"
        return f"largest deviation from {model}, {delays} ms: {self.without.in_words}"

    @property
    def threads(self) -> tuple[int, ...]:
        return (self.without.threads,)

    def as_dict(self) -> Mapping[str, object]:
        at, delayed = self.without, [(point.variant, int(rtt_ms)) for point, rtt_ms in self.delayed]
        variants, delays = zip((at.variant, 0), *delayed, strict=True)
        point = {"workload": at.workload, "threads": at.threads}
        trips = {} if self.per_commit == 1 else {"per_commit": self.per_commit}
        trips |= {"group_flush_ms": self.group_flush_ms} if self.group_flush_ms else {}
        return {"round_trips": {"variants": list(variants), "rtt_ms": list(delays), **trips, **point}}


def _distances(lo: float, hi: float) -> tuple[float, float]:
    """The least and the largest distance of an interval from 1."""
    return (0.0 if lo <= 1 <= hi else min(abs(lo - 1), abs(hi - 1))), max(abs(lo - 1), abs(hi - 1))
