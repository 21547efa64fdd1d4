"""Records a load: every write and flush of its disk, and what its clients knew at each moment, on one clock."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic_ns

from workers.crash.chain import Begun, Prepared
from workers.crash.disks import DATA, LOGS
from workers.crash.inspect import BinlogPlace
from workers.crash.kinds.power_loss import FLUSH_US
from workers.crash.ledger import Ledger
from workers.crash.made import Made
from workers.crash.points.kills import stop_often
from workers.crash.setup_and_result import Timeline, TrialResult, TrialSetup
from workers.errors import SandboxError
from workers.sandbox import owner
from workers.sandbox.disk.recording.events import Log, RecordingEnd
from workers.sandbox.disk.recording.joint import JointState
from workers.sandbox.disk.recording.recording import Recording
from workers.sandbox.disk.recording.states import Keeps
from workers.sandbox.disk.volatile import VolatileDisk

POLL_S = 0.05
QUIET_S = 1.0
MOST_BYTES = 1 << 30  # of a recording
NS = 1_000_000_000
ENDS = {
    RecordingEnd.STOPPED: "",
    RecordingEnd.BOUND: "It reached its largest size. No later moment was tried.",
    RecordingEnd.NO_SPACE: "The host's disk was full. No later moment was tried.",
    RecordingEnd.POWER: "The disk lost its power. No later moment was tried.",
    RecordingEnd.BROKEN_OFF: "The process of the disk ended. No later moment was tried.",
}
NOT_ALONE = " No crash point of the replica alone was tried: the recording lacks the primary's last writes."
Asked = tuple[int, int]  # by our own clock: when the disk was asked, and when it had answered


@dataclass(frozen=True, kw_only=True)
class Recorded(Prepared):
    """The load is over and its server killed. `whole`: the ledger of all of it; `before`: its binlog; `named`: GTID ->
    key there, None: not known; `margin_s`: by how much the clocks of the witness and of the disk differ at least;
    `bracket_s`: a difference up to this would not have been seen; `stops`: when the server stood still, with its files
    written out; `stops_took`: in words."""

    recording: Recording
    more: tuple[Recording, ...]  # of the other disks: of logs, of the replica
    margin_s: float
    bracket_s: float
    whole: Ledger
    before: BinlogPlace | None
    named: Mapping[str, int] | None
    stops: tuple[int, ...]
    stops_took: str

    @property
    def is_killed(self) -> bool:
        """At its crash points; else the power goes."""
        return self.kind.keeps_page_cache

    def at_s(self, at_ns: int) -> float:
        """Seconds since the load began, of a moment of the recording."""
        return at_ns / NS - self.witness.began

    @property
    def disks(self) -> tuple[str, ...]:
        """Their names, in the order of the recordings."""
        if not self.more:
            return (DATA,)
        return ("primary", "replica") if self.replica else (DATA, LOGS)

    def keeps(self, state: JointState) -> str:
        """`torn`; of several disks that differ, `data durable, logs written`."""
        each = [words_of(point.keeps) for point in state.points]
        if len(set(each)) == 1:
            return each[0]
        return ", ".join(f"{name} {keeps}" for name, keeps in zip(self.disks, each, strict=True))

    def so_far(self) -> TrialResult:
        known = super().so_far()
        apart = f"{1e6 * self.margin_s:.0f} µs apart" if self.margin_s >= 1e-6 else "no difference"
        margin = f"{apart}; less than {1e6 * self.bracket_s:.0f} µs cannot be seen"
        stops = {"stops of the server": self.stops_took} if self.stops_took else {}
        return replace(known, notes={**known.notes, "clocks of clients and disk": margin, **stops})


def words_of(keeps: Keeps) -> str:
    return keeps if isinstance(keeps, str) else type(keeps).__name__.lower()


def record(prepared: Prepared) -> Recorded:
    """The server is frozen before the last answers are read, so that the recording holds everything they rest on."""
    prepared.timeline.step("load")
    disks, server, witness = _disks(prepared), prepared.scene.sandbox, prepared.witness
    live = prepared.made.enter_context(owner.live_folder(prepared.setup.root, "recording"))
    folders = [live / str(n) for n in range(len(disks))]  # not yet made
    began, ended = list[Asked](), list[Asked]()
    for disk, folder in zip(disks, folders, strict=True):
        began.append(_timed(partial(disk.record, folder, MOST_BYTES)))
    witness.begin()
    stops, took = _run(prepared)
    if prepared.replica:
        prepared.replica.sandbox.freeze()
        witness.drain(QUIET_S)
        server.settle()  # the last content that was written is that of a primary which lives on
    server.freeze()
    witness.drain()
    for disk in disks:
        ended.append(_timed(disk.stop_recording))
    prepared.timeline.step("kill")
    before = prepared.copy_of_binlog()
    for disk in disks:
        disk.storage(0)
        disk.give_way()
    server.kill()
    if prepared.replica:
        prepared.replica.sandbox.kill()
    whole, (recording, *more) = witness.ledger(), [Recording.load(folder) for folder in folders]
    logs = [one.log for one in (recording, *more)]
    clocks = [readings(*one) for one in zip(began, ended, logs, strict=True)]
    if why := whole.fault(prepared.secret):
        raise SandboxError(f"The ledger of acknowledged commits is not reliable: {why}.", "Repeat the trial.")
    return Recorded(
        **vars(prepared),
        recording=recording,
        more=tuple(more),
        margin_s=max(margin_ns(*one) for one in clocks) / NS,
        bracket_s=max(bracket_ns(*(asked for asked, _ in one)) for one in clocks) / NS,
        whole=whole,
        before=before,
        named=prepared.look.gtids("recorded binlog", before) if before else None,
        stops=stops,
        stops_took=took,
    )


def _disks(prepared: Prepared) -> tuple[VolatileDisk, ...]:
    """All that are recorded; that of a replica, ready for it, is the last."""
    disk, replica = prepared.replica_disk, prepared.replica
    if disk is None or replica is None:
        return prepared.scene.disks
    replica.sandbox.settle()
    disk.storage(FLUSH_US)
    return (*prepared.scene.disks, disk)


def _timed(action: Callable[[], None]) -> Asked:
    asked_ns = monotonic_ns()
    action()
    return asked_ns, monotonic_ns()


def readings(began: Asked, ended: Asked, log: Log) -> list[tuple[Asked, int]]:
    """Each with the disk's own time. A recording that ended by itself ended before it was asked to."""
    begin = (began, log.began_ns)
    return [begin, (ended, log.end_ns)] if log.end is RecordingEnd.STOPPED else [begin]


def why_ended(logs: Sequence[Log], with_replica: bool) -> str:
    """Of the recordings of a load, of a replicated one those of primary and replica. "": none ended before the load."""
    why = ENDS[min(logs, key=lambda log: log.end_ns).end]
    alone = not with_replica or logs[0].end is RecordingEnd.STOPPED
    return why if alone else why + NOT_ALONE


def margin_ns(*asked: tuple[Asked, int]) -> int:
    """How far the disk's clock was outside of our own two readings, around each answer. 0: the clocks agree."""
    return max(max(0, first - its, its - last) for (first, last), its in asked)


def bracket_ns(*asked: Asked) -> int:
    """Between our own readings around the quicker answer. A smaller difference of the clocks may hide there."""
    return min(last - first for first, last in asked)


def _run(prepared: Prepared) -> tuple[tuple[int, ...], str]:
    """The load. The stops of the server, and what they took, if it is to be killed."""
    if prepared.kind.keeps_page_cache:
        return stop_often(prepared, lambda for_s: _wait(prepared, prepared.ports.clock() + for_s))
    _wait(prepared, prepared.witness.began + prepared.setup.load_s)
    return (), ""


def _wait(prepared: Prepared, until: float) -> None:
    """SandboxError: the clients stopped before the load was over."""
    witness, ports, setup = prepared.witness, prepared.ports, prepared.setup
    while (left := until - ports.clock()) > 0:
        if setup.commits and witness.acknowledged == setup.clients * setup.commits:
            return
        prepared.timeline.must_go_on()
        if not witness.alive:
            raise SandboxError(f"The clients stopped before the end of the load: {witness.trouble}.")
        ports.sleep(min(left, POLL_S))


@contextmanager
def another_load(
    load: Recorded,
    setup: TrialSetup,
    title: str,
    settings: Mapping[str, str] | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> Iterator[Begun]:
    """Begins one that is recorded like the load of the trial, with something changed. What is made for it is removed.
    `settings`: beside those of the load. `is_over`: then it ends as if it were cancelled."""

    def tell(step: str) -> None:
        load.timeline.tell(f"{title}: {step}")

    def cancelled() -> bool:
        return load.timeline.is_cancelled() or is_over()

    with Made() as made, made.killed_when(cancelled):
        yield Begun(
            setup=setup,
            kind=load.kind,
            settings={**load.settings, **(settings or {})},
            ports=load.ports,
            made=made,
            timeline=Timeline(tell, cancelled, load.ports.clock),
        )
