"""Predicates on crash trials: the share of crashes after which something was wrong.

0 of 30 crashes allow a share of up to 12 %. So a claim that something does not happen needs enough crashes. A claim
that it can happen (`above = 0`) is held after one crash. A crash whose check is unknown counts as unharmed for the
lower end of the interval and as harmed for the upper end.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from workers.analysis import binomial
from workers.analysis.predicates.bounds import Effect
from workers.analysis.predicates.measured import Crash, Happening, MeasuredResult, Place
from workers.analysis.predicates.predicate import Predicate

HAPPENINGS: Mapping[Happening, str] = {
    "ghosts": "the old primary came back with commits that only it held",
    "stopped": "the node that was down refused to go on",
}
LOGS: Mapping[Place, str] = {"engine": "engine", "binlog": "binary log"}
FAILED = {  # keys of workers.crash.checks.CHECKS
    "lost-engine": "acknowledged commits were missing in the engine",
    "lost-binlog": "acknowledged commits were missing in the binary log",
    "engine-only": "the binary log lacked commits of the engine",
    "binlog-only": "the engine lacked commits of the binary log",
    "lost-promoted": "acknowledged commits were missing on the new primary",
    "gtid-reused": "a GTID named two transactions",
    "stays-down": "the server did not start again",
}


@dataclass(frozen=True)
class CrashShare(Predicate):
    """All crashes of these variants under these kinds. Crashes count in which one of `checks` (keys of
    workers.crash.checks.CHECKS) failed; with `lost`, in which more than `longer_than_ms` of work was lost there; with
    `happened`, in which that happened, whether a check failed or not."""

    variants: tuple[str, ...]
    kinds: tuple[str, ...]
    checks: tuple[str, ...] = ()
    lost: Place | None = None
    longer_than_ms: float = 0.0
    happened: Happening | None = None

    def measure(self, measured: MeasuredResult) -> Effect:
        if why := measured.distrust():
            return Effect("share", why=why.rstrip("."))
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
        if self.happened:
            return crash.happened.get(self.happened)
        outcomes = [crash.checks.get(check) for check in self.checks]
        if "invalid" in outcomes:
            return True
        return None if not crash.checks or "unknown" in outcomes or set(outcomes) == {None} else False

    @property
    def in_words(self) -> str:
        kinds = " or ".join(kind.replace("-", " ") for kind in self.kinds)
        return f"share of crashes ({', '.join(self.variants)}; {kinds}) after which {self._counted_in_words}"

    @property
    def _counted_in_words(self) -> str:
        if self.lost:
            return f"more than {self.longer_than_ms:g} ms of work was missing in the {LOGS[self.lost]}"
        if self.happened:
            return HAPPENINGS[self.happened]
        return " or ".join(FAILED.get(one, f"the check {one.replace('-', ' ')} failed") for one in self.checks)

    def as_dict(self) -> Mapping[str, object]:
        what: dict[str, object] = {"checks": list(self.checks)}
        if self.lost:
            what = {"lost": self.lost, "longer_than_ms": self.longer_than_ms}
        elif self.happened:
            what = {"happened": self.happened}
        return {"crashes": {"variants": list(self.variants), "kinds": list(self.kinds), **what}}


def _share(harmed: int, unknown: int, n: int) -> Effect:
    lo, hi = binomial.interval(harmed, n)[0], binomial.interval(harmed + unknown, n)[1]
    why = f"{unknown} of them are unknown" if unknown else ""
    return Effect("share", harmed / n, lo, hi, why, f"{harmed:,} of {n:,}")
