"""The result as predicates see it: a protocol that the dashboard implements with stored rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from workers.analysis.blocks import Sample
from workers.analysis.fsync_model import FsyncModel
from workers.analysis.not_computable import NotComputable
from workers.analysis.statistics import Estimate

Place = Literal["engine", "binlog"]
Happening = Literal["ghosts", "stopped"]


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
        """Those parts of the point that differ from the other one."""
        return ", ".join(mine for mine, its in zip(self._parts(), other._parts(), strict=True) if mine != its)

    def like(self, other: "At") -> str:
        """Those parts of the point that both have."""
        return ", ".join(mine for mine, its in zip(self._parts(), other._parts(), strict=True) if mine == its)

    def _parts(self) -> tuple[str, str, str]:
        return self.variant, self.workload, f"{self.threads} thread{'s' if self.threads > 1 else ''}"


@dataclass(frozen=True)
class Crash:
    """One crash trial that ended. `checks`: key of each check that applied -> outcome; empty: the trial failed.
    `lost_ms`: place -> work lost up to the crash in milliseconds, absent when not known. `happened`: in a topology,
    whether the old primary came back with commits that only it held (ghosts), and whether the node that was down
    refused to go on (stopped); absent when not known. `outage_s`: how long a failover refused writes; None: not known.
    """

    checks: Mapping[str, str]
    lost_ms: Mapping[Place, float]
    happened: Mapping[Happening, bool] = field(default_factory=dict)
    outage_s: float | None = None


class MeasuredResult(Protocol):
    def gap(self, at: At) -> str:
        """Why the point is not fully measured; "" when all its repeats are."""

    def commits(self, at: At) -> Sample:
        """Commits per second of each repeat."""

    def rows(self, at: At) -> int:
        """Rows changed by one commit of the point's workload."""

    def per_commit(self, at: At, figure: str) -> Estimate | None:
        """A figure of `points.PER_COMMIT`; None: no source has it."""

    def distrust(self) -> str:
        """Why no crash verdict counts (the self-test of the checks failed); "" when they count."""

    def crashes(self, variant: str, kind: str) -> Sequence[Crash]:
        """The planned trials that ended, in any way."""

    def open_crashes(self, variant: str, kind: str) -> int:
        """How many planned trials did not end."""

    def flushes(self, variant: str) -> FsyncModel | NotComputable:
        """The model of the device under this variant."""
