"""The request and the result of a crash trial."""

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workers.crash.evidence import Evidence
from workers.crash.verdict import CheckResult, Outcome
from workers.errors import Cancelled
from workers.sandbox.builds import Build
from workers.sandbox.storage import Storage
from workers.servers.target import Target
from workers.transaction.declaration import Declaration


@dataclass(frozen=True)
class Attached:
    """An expendable attached server, and the owner's commands that crash and start it: lists of arguments, run without
    a shell on the worker's host, each for at most `limit_s`. `permit` is called just before the crash; it raises
    PlanError when crashes are no longer allowed, and stores a pending restore. `back` is called when the server is up
    again. `require_claim` is called before the start; it raises Taken when another experiment may hold the server.
    `schema`: empty, made and dropped by the caller. `binlog_index`: path of its binlog index on this host; "": not
    here."""

    target: Target
    schema: str
    crash: tuple[str, ...]
    start: tuple[str, ...]  # empty: it comes back by itself
    permit: Callable[[], None]
    require_claim: Callable[[], None]
    limit_s: float = 120.0
    back: Callable[[], None] = lambda: None
    binlog_index: str = ""
    service: str = ""  # title of the managed service that it belongs to


@dataclass(frozen=True, kw_only=True)
class TrialRequest:
    """The request of a crash trial or of a failover trial. `seed` draws the moment of the crash, between half of
    `load_s` and `load_s`, and what a torn power loss keeps."""

    root: Path
    name: str
    settings: Mapping[str, str]
    seed: int
    engine: str = "innodb"
    clients: int = 16
    load_s: float = 2.0
    storage: Storage | None = None  # what a flush costs while the load runs; None: nothing
    user: str = ""  # who runs sandboxes when we are root

    @property
    def crash_after_s(self) -> float:
        """The moment of the crash since the begin of the load, drawn by the seed."""
        return self.load_s * random.Random(self.seed).uniform(0.5, 1.0)  # noqa: S311 - no secret


@dataclass(frozen=True, kw_only=True)
class TrialSetup(TrialRequest):
    """`kind`: a key of workers.crash.kinds.CRASH_KINDS."""

    build: Build | None  # None: `attached` is crashed, with its present settings
    kind: str
    replica: bool = False
    replica_settings: Mapping[str, str] = field(default_factory=dict)  # of crash points: beside those of the primary
    attached: Attached | None = None
    points: int = 200  # of a recorded load: crash points to try
    points_s: float = 3600  # and the time for them; after it none is begun
    commits: int = 0  # of each client, of a recorded load: it is over after them; 0: after `load_s`
    keep_recording: bool = False
    looked_for: frozenset[str] = frozenset()  # checks: other loads of these were tried before
    own: Declaration | None = None  # committed by the clients beside the rows of the ledger


@dataclass(frozen=True)
class TrialStep:
    """A part of the trial's time line, in seconds since it began."""

    name: str  # prepare, start, load, freeze, cut, kill, power on, recovery, reconnect, evidence, replica, checks
    at_s: float
    took_s: float


STEPS = {
    "prepare": "preparing the server",
    "start": "starting the server",
    "load": "load by the clients",
    "freeze": "server and flushes frozen",
    "partition": "network cut",
    "cut": "power of the disk cut",
    "kill": "server process killed",
    "power on": "disk powered on again",
    "recovery": "server start and recovery",
    "reconnect": "waiting for a client that reconnects",
    "evidence": "collecting the evidence",
    "checks": "checking the evidence",
    "choose crash points": "choosing crash points",
    "crash points": "trying the crash points",
    "violations": "examining the failures",
    "other settings": "trying other settings against the failure",
    "shortest load": "looking for the shortest load at which the same checks fail",
}


def step_in_words(step: str) -> str:
    """Other steps are words already."""
    return STEPS.get(step, step)


def with_failed_step(error: str) -> str:
    """A stored error, `crash points: The disk is full.`, with its step in words."""
    step, colon, why = error.partition(": ")
    return f"Failed at the step “{step_in_words(step)}”: {why}" if colon and step in STEPS else error


def told_with(tell: Callable[[str], None], title: str) -> Callable[[str], None]:
    """Tells each step with the crash kind that its trial tries."""
    return lambda step: tell(f"Crash trial ({title[0].lower()}{title[1:]}): {step_in_words(step)}")


class Timeline:
    """Each step begins when the one before ends. After a cancellation a new step raises Cancelled."""

    def __init__(
        self, tell: Callable[[str], None], cancelled: Callable[[], bool], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._tell, self._cancelled, self._clock = tell, cancelled, clock
        self._began = clock()
        self._begun: list[tuple[str, float]] = []

    @property
    def now(self) -> str:
        return self._begun[-1][0] if self._begun else "prepare"

    def step(self, name: str) -> None:
        self.must_go_on()
        self._begun.append((name, self._clock() - self._began))
        self._tell(name)

    def tell(self, what: str) -> None:
        """Progress within the present step."""
        self.must_go_on()
        self._tell(what)

    def is_cancelled(self) -> bool:
        return self._cancelled()

    def must_go_on(self) -> None:
        if self._cancelled():
            raise Cancelled("Cancelled during a crash trial.")

    def steps(self) -> tuple[TrialStep, ...]:
        """Empty for a trial that failed before its first step."""
        ends = [at for _, at in self._begun[1:]] + [self._clock() - self._began]
        return tuple(
            TrialStep(name, round(at, 4), round(end - at, 4))
            for (name, at), end in zip(self._begun, ends, strict=False)
        )


@dataclass(frozen=True)
class LostWork:
    """Acknowledged transactions that a place lost. `ms`: from the first lost acknowledgement to the crash, or to the
    last lost one if that came later."""

    transactions: int
    ms: float


@dataclass(frozen=True, kw_only=True)
class TrialEnd:
    """The result of a crash trial or of a failover trial. `failed_at`: the step of a trial that could not be
    completed: it is unknown, or invalid if a violation had been found."""

    verdict: Outcome = "unknown"
    checks: tuple[CheckResult, ...] = ()
    steps: tuple[TrialStep, ...] = ()
    sent: int = 0
    acknowledged: int = 0
    in_doubt: int = 0
    failed_at: str = ""
    error: str = ""
    digest_key: str = ""  # of the digests in the witness's rows, hexadecimal
    notes: Mapping[str, str] = field(default_factory=dict)  # sectors kept and lost by a cut, effective settings ...


@dataclass(frozen=True, kw_only=True)
class TrialResult(TrialEnd):
    evidence: Evidence | None = None
    crash_at_s: float = 0.0  # since the load began
    recovery_s: float | None = None  # until the first query was answered
    lost_engine: LostWork | None = None
    lost_binlog: LostWork | None = None
    lost_replica: LostWork | None = None  # lost if the replica were promoted
    lost_both: int | None = None  # acknowledged transactions that engine and binlog both lack
    my_cnf: str = ""
    log_lines: tuple[str, ...] = ()  # the server's error log around crash and recovery
