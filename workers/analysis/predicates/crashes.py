"""Predicates on crash trials: the share of crashes after which something was wrong.

0 of 30 crashes allow a share of up to 12 %. So a claim that something does not happen needs enough crashes. A claim
that it can happen (`above = 0`) is held after one crash. A crash whose check is unknown counts as unharmed for the
lower end of the interval and as harmed for the upper end.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from workers.analysis import binomial
from workers.analysis.predicates.bounds import Effect
from workers.analysis.predicates.measured import Crash, MeasuredResult, Place
from workers.analysis.predicates.predicate import Predicate


@dataclass(frozen=True)
class CrashShare(Predicate):
    """All crashes of these variants under these kinds. Crashes count in which one of `checks` (keys of
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
            return Effect("share", why=f"crashes are missing: {missing}")
        if left := sum(measured.open_crashes(*pair) for pair in pairs):
            return Effect("share", why=f"{left} of the planned crashes did not end")
        harmed = [self._harmed(crash) for pair in pairs for crash in measured.crashes(*pair)]
        return _share(harmed.count(True), harmed.count(None), len(harmed))

    @property
    def in_percent(self) -> bool:
        return True

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
    why = f"{unknown} of them are unknown" if unknown else ""
    return Effect("share", harmed / n, lo, hi, why, f"{harmed:,} of {n:,}")
