"""Predicates on crash trials: the share of crashes after which something was wrong.

A share that was never seen is not zero: 0 of 30 crashes leaves up to 12 %, so a claim that something does not happen
needs enough crashes, and a claim that it can happen is held once it was seen (`above = 0`). A crash whose check could
not tell counts as unharmed for the lower end of the interval and as harmed for the upper one.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from workers.analysis import binomial
from workers.analysis.predicates.bounds import Effect
from workers.analysis.predicates.measured import Crash, MeasuredResult, Place


@dataclass(frozen=True)
class Crashes:
    """Crashes of these variants under these kinds, together. Counted are those in which one of `checks` (keys of
    workers.crash.checks.CHECKS) failed; or, with `lost`, in which more than `longer_than_ms` of work was lost there."""

    variants: tuple[str, ...]
    kinds: tuple[str, ...]
    checks: tuple[str, ...] = ()
    lost: Place | None = None
    longer_than_ms: float = 0.0

    def measure(self, measured: MeasuredResult) -> Effect:
        if why := measured.distrust():
            return Effect("share", why=why)
        pairs = [(variant, kind) for variant in self.variants for kind in self.kinds]
        if never := [pair for pair in pairs if not measured.crashes(*pair) and not measured.open_crashes(*pair)]:
            missing = ", ".join(f"no {kind.replace('-', ' ')} of {variant}" for variant, kind in never)
            return Effect("share", why=f"it was not crashed: {missing}")
        if left := sum(measured.open_crashes(*pair) for pair in pairs):
            return Effect("share", why=f"{left} of the planned crashes did not end")
        harmed = [self._harmed(crash) for pair in pairs for crash in measured.crashes(*pair)]
        return _share(harmed.count(True), harmed.count(None), len(harmed))

    def _harmed(self, crash: Crash) -> bool | None:
        """None: not known."""
        if self.lost:
            took = crash.lost_ms.get(self.lost)
            return None if took is None else took > self.longer_than_ms
        outcomes = [crash.checks.get(check) for check in self.checks]
        if "invalid" in outcomes:
            return True
        return None if not crash.checks or "unknown" in outcomes or set(outcomes) == {None} else False

    @property
    def in_percent(self) -> bool:
        return True

    @property
    def in_words(self) -> str:
        kinds = " or ".join(kind.replace("-", " ") for kind in self.kinds)
        lost = f"more than {self.longer_than_ms:g} ms of work lost in the {self.lost}"
        failed = "failed: " + ", ".join(check.replace("-", " ") for check in self.checks)
        return f"share of crashes, {' and '.join(self.variants)} by {kinds}, {lost if self.lost else failed}"

    def as_dict(self) -> Mapping[str, object]:
        lost = {"lost": self.lost, "longer_than_ms": self.longer_than_ms}
        what = lost if self.lost else {"checks": list(self.checks)}
        return {"crashes": {"variants": list(self.variants), "kinds": list(self.kinds), **what}}


def _share(harmed: int, unknown: int, n: int) -> Effect:
    lo, hi = binomial.interval(harmed, n)[0], binomial.interval(harmed + unknown, n)[1]
    why = f"{unknown} of them could not tell" if unknown else ""
    return Effect("share", harmed / n, lo, hi, why, f"{harmed:,} of {n:,}")
