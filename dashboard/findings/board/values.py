"""What each server keeps in three crashes, as values: tested here, or concluded from its settings."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from dashboard.findings.flushing import SYNC
from dashboard.records.servers.models import Server

Crash = Literal["kill", "power", "failover"]
# "other": it failed, but lost no commits; "none": no replica is known, so there is nothing to fail over to.
Outcome = Literal["lost", "other", "unknown", "kept", "none"]
Certainty = Literal["tested", "few", "concluded"]
CRASHES: tuple[Crash, ...] = ("kill", "power", "failover")
WORST_FIRST: tuple[Outcome, ...] = ("lost", "other", "unknown", "kept", "none")
LABELS = (Server.Label.PRODUCTION.value, Server.Label.STAGING.value, Server.Label.TEST.value)


@dataclass(frozen=True)
class CrashVerdict:
    """`says`: the reason of the audit in a sentence; `changes`: settings that end a loss, as name=value. Of a test:
    `failed` of `n` crashes, and the settings of the sandbox that lost commits and those that kept all."""

    outcome: Outcome
    certainty: Certainty = "concluded"
    says: str = ""
    changes: tuple[str, ...] = ()
    failed: int = 0
    n: int = 0
    lost_with: tuple[str, ...] = ()
    kept_with: tuple[str, ...] = ()
    experiment_id: int = 0

    @property
    def is_tested(self) -> bool:
        return self.certainty != "concluded"

    @property
    def look(self) -> str:
        """The symbol of its mark. A loss that was seen is sure, however few crashes there were."""
        if self.outcome not in ("lost", "kept"):
            return self.outcome
        if not self.is_tested:
            return f"would-{self.outcome}"
        return "few" if self.outcome == "kept" and self.certainty == "few" else self.outcome


@dataclass(frozen=True)
class BoardServer:
    """`verdicts`: as in CRASHES."""

    server_id: int
    name: str
    label: str
    is_sandbox: bool
    verdicts: tuple[CrashVerdict, CrashVerdict, CrashVerdict]

    @property
    def power(self) -> CrashVerdict:
        return self.verdicts[1]

    @property
    def worst(self) -> CrashVerdict:
        """Of equal ones the first crash: whoever loses by a kill loses by a power loss, too."""
        return min(self.verdicts, key=lambda one: WORST_FIRST.index(one.outcome))

    @property
    def worst_crash(self) -> Crash:
        return CRASHES[self.verdicts.index(self.worst)]

    @property
    def is_tested(self) -> bool:
        return any(one.is_tested for one in self.verdicts)

    @cached_property
    def order(self) -> tuple[object, ...]:
        """Production first; servers of one's own before sandboxes; then the worst. The loss of a binary log has no
        limit of time, that of a redo log has one."""
        ranks = tuple(WORST_FIRST.index(one.outcome) for one in self.verdicts)
        is_limited = f"{SYNC}=1" not in self.power.changes
        return self.is_sandbox, LABELS.index(self.label), min(ranks), *ranks, is_limited, self.name

    def has(self, crash: str, outcome: str) -> bool:
        """`crash`: "": any."""
        return any(
            one.outcome == outcome for name, one in zip(CRASHES, self.verdicts, strict=True) if crash in ("", name)
        )


@dataclass(frozen=True, eq=False)
class Board:
    """`servers`: in their order. `replica_of`: the id of a replica -> the name of its primary; `primaries`: ids."""

    servers: Sequence[BoardServer]
    replica_of: Mapping[int, str] = field(default_factory=dict)
    primaries: frozenset[int] = frozenset()

    @cached_property
    def counts(self) -> Counter[tuple[str, Crash, Outcome]]:
        """(Label, crash, outcome) -> servers."""
        return Counter(
            (server.label, crash, one.outcome)
            for server in self.servers
            for crash, one in zip(CRASHES, server.verdicts, strict=True)
        )

    def count(self, crash: Crash, outcome: Outcome, label: str = "") -> int:
        return sum(self.counts[each, crash, outcome] for each in ([label] if label else LABELS))

    @cached_property
    def tested(self) -> int:
        return sum(one.is_tested for one in self.servers)

    @property
    def concluded(self) -> int:
        """Servers of which something is known, from their settings alone."""
        return len(self.servers) - self.tested - self.unknown

    @cached_property
    def unknown(self) -> int:
        """Servers of which no outcome is known."""
        return sum(all(one.outcome in ("unknown", "none") for one in each.verdicts) for each in self.servers)

    @cached_property
    def by_label(self) -> Counter[str]:
        return Counter(one.label for one in self.servers)

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(label for label in LABELS if self.by_label[label])
