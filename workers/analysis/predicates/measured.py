"""What predicates ask of a result: a port, answered by the dashboard from what is stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from workers.analysis.blocks import Sample
from workers.analysis.fsync_model import FsyncModel
from workers.analysis.not_computable import NotComputable
from workers.analysis.statistics import Estimate

Place = Literal["engine", "binlog"]


@dataclass(frozen=True)
class At:
    """One point of the plan."""

    variant: str
    workload: str
    threads: int

    @property
    def in_words(self) -> str:
        return ", ".join(self._parts())

    def unlike(self, other: "At") -> str:
        """What of it is not the same as of the other point."""
        return ", ".join(mine for mine, its in zip(self._parts(), other._parts(), strict=True) if mine != its)

    def _parts(self) -> tuple[str, str, str]:
        return self.variant, self.workload, f"{self.threads} thread{'s' if self.threads > 1 else ''}"


@dataclass(frozen=True)
class Crash:
    """One crash that was tried. `checks`: check key -> outcome, without those that did not apply; empty: it broke off.
    `lost_ms`: place -> work lost up to the crash in milliseconds, absent where not known."""

    checks: Mapping[str, str]
    lost_ms: Mapping[Place, float]


class MeasuredResult(Protocol):
    def gap(self, at: At) -> str:
        """Why the point is not fully measured; "" when all of its repeats are."""

    def commits(self, at: At) -> Sample:
        """Commits per second of each repeat."""

    def rows(self, at: At) -> int:
        """Rows changed by one commit of the point's workload."""

    def per_commit(self, at: At, figure: str) -> Estimate | None:
        """A figure of `value.PER_COMMIT`; None where no source could tell."""

    def distrust(self) -> str:
        """Why no crash verdict counts here (the detector failed its own control); "" when they do."""

    def crashes(self, variant: str, kind: str) -> Sequence[Crash]:
        """Those of the plan that ended, in any way."""

    def open_crashes(self, variant: str, kind: str) -> int:
        """Those that the plan has and that did not end."""

    def flushes(self, variant: str) -> FsyncModel | NotComputable:
        """The model of the device under this variant."""
