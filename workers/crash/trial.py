"""One crash trial from the load to the verdict: what it is asked for and what it yields."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workers.crash.evidence import Evidence
from workers.crash.verdict import CheckResult, Outcome
from workers.sandbox.builds import Build
from workers.sandbox.storage import Storage
from workers.servers.target import Target


@dataclass(frozen=True)
class Attached:
    """An expendable server of somebody's, and the owner's commands that crash it and start it again: lists of
    arguments, run without a shell on the worker's host, each for at most `limit_s`. `permit` is called at the last
    moment before the crash and raises PlanError when the server may not be crashed any more; whoever wrote down there
    that it must be started again hears by `back` that it is up. `must_hold` is called before it is started and raises
    Taken when the server may be another experiment's by now. `schema`: empty, of this trial only, made and dropped by
    the caller. `binlog_index`: where its owner says that the index of its binlog lies on this host; "": not here."""

    target: Target
    schema: str
    crash: tuple[str, ...]
    start: tuple[str, ...]  # empty: it comes back by itself
    permit: Callable[[], None]
    must_hold: Callable[[], None]
    limit_s: float = 120.0
    back: Callable[[], None] = lambda: None
    binlog_index: str = ""


@dataclass(frozen=True)
class TrialSetup:
    """What one trial is asked for. `kind`: a key of workers.crash.kinds.CRASH_KINDS. The crash comes at a moment
    between half of `load_s` and `load_s`, drawn with `seed`, which also draws what a torn power loss keeps."""

    root: Path
    build: Build | None  # None: `attached` is crashed, with the settings that it has
    name: str
    settings: Mapping[str, str]
    engine: str
    kind: str
    seed: int
    clients: int = 16
    load_s: float = 2.0
    replica: bool = False
    user: str = ""  # who runs sandboxes when we are root
    attached: Attached | None = None
    storage: Storage | None = None  # what a flush costs while the load runs; None: nothing

    @property
    def crash_after_s(self) -> float:
        """The moment that the seed draws, since the load began."""
        return self.load_s * random.Random(self.seed).uniform(0.5, 1.0)  # noqa: S311 - no secret


@dataclass(frozen=True)
class TrialStep:
    """A part of the trial's time line, in seconds since it began."""

    name: str  # prepare, start, load, freeze, cut, kill, power on, recovery, evidence, replica, checks
    at_s: float
    took_s: float


@dataclass(frozen=True)
class LostWork:
    """Acknowledged transactions that are gone from one place, and how long commits up to the crash took that many:
    `ms` is the time from the acknowledgement of the first lost one to the crash."""

    transactions: int
    ms: float


@dataclass(frozen=True)
class TrialResult:
    """`verdict` is unknown and `failed_at` names the step when the trial could not be completed."""

    verdict: Outcome
    checks: tuple[CheckResult, ...]
    evidence: Evidence | None
    steps: tuple[TrialStep, ...]
    sent: int = 0
    acknowledged: int = 0
    in_doubt: int = 0
    crash_at_s: float = 0.0  # since the load began
    recovery_s: float | None = None  # until the first query was answered
    lost_engine: LostWork | None = None
    lost_binlog: LostWork | None = None
    lost_replica: LostWork | None = None  # would be missing if the replica were promoted
    failed_at: str = ""
    error: str = ""
    my_cnf: str = ""
    log_lines: tuple[str, ...] = ()  # the server's error log around crash and recovery
    digest_key: str = ""  # of the digests in the witness's rows, hexadecimal
    notes: Mapping[str, str] = field(default_factory=dict)  # sectors kept and lost by a cut, effective settings ...
