"""Records a load: every write and flush of its disk, and what its clients knew at each moment, on one clock."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic_ns

from workers.crash.chain import Prepared
from workers.crash.inspect import BinlogPlace, keep_binlog, read_binlog
from workers.crash.ledger import Ledger
from workers.crash.setup_and_result import TrialResult
from workers.errors import SandboxError
from workers.host import temporary
from workers.sandbox import owner
from workers.sandbox.disk.recording.recording import Recording

POLL_S = 0.05
MOST_BYTES = 1 << 30  # of a recording
NS = 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class Recorded(Prepared):
    """The load is over and its server killed. `whole`: the ledger of all of it; `before`: its binlog; `named`: GTID ->
    key there, None: not known; `margin_s`: by how much the clocks of the witness and of the disk may differ."""

    recording: Recording
    logs_recording: Recording | None  # of the disk of its own that holds logs
    margin_s: float
    whole: Ledger
    before: BinlogPlace | None
    named: Mapping[str, int] | None

    def at_s(self, at_ns: int) -> float:
        """Seconds since the load began, of a moment of the recording."""
        return at_ns / NS - self.witness.began

    def so_far(self) -> TrialResult:
        known = super().so_far()
        margin = f"{1e6 * self.margin_s:.0f} µs"
        return replace(known, notes={**known.notes, "margin of the clocks of clients and disk": margin})


def record(prepared: Prepared) -> Recorded:
    """The server is frozen before the last answers are read, so that the recording holds everything they rest on."""
    prepared.timeline.step("load")
    disks, server, witness = prepared.scene.disks, prepared.scene.sandbox, prepared.witness
    folders = [_folder(prepared) for _ in disks]
    began, ended = list[tuple[int, int]](), list[tuple[int, int]]()
    for disk, folder in zip(disks, folders, strict=True):
        began.append(_timed(partial(disk.record, folder, MOST_BYTES)))
    witness.begin()
    _wait(prepared)
    server.freeze()
    witness.drain()
    for disk in disks:
        ended.append(_timed(disk.stop_recording))
    prepared.timeline.step("kill")
    before = _binlog(prepared)
    for disk in disks:
        disk.storage(0)
        disk.give_way()
    server.kill()
    whole, (recording, *of_logs) = witness.ledger(), [Recording.load(folder) for folder in folders]
    if why := whole.fault(prepared.secret):
        raise SandboxError(f"The ledger of acknowledged commits is not reliable: {why}.", "Repeat the trial.")
    return Recorded(
        **vars(prepared),
        recording=recording,
        logs_recording=of_logs[0] if of_logs else None,
        margin_s=margin_ns((began[0], recording.log.began_ns), (ended[0], recording.log.end_ns)) / NS,
        whole=whole,
        before=before,
        named=_named(prepared, before),
    )


def _timed(action: Callable[[], None]) -> tuple[int, int]:
    """When it was asked, and when it was done."""
    asked_ns = monotonic_ns()
    action()
    return asked_ns, monotonic_ns()


def margin_ns(*asked: tuple[tuple[int, int], int]) -> int:
    """How far the disk's clock was outside of our own two readings, around each answer. 0: the clocks agree."""
    return max(max(0, first - its, its - last) for (first, last), its in asked)


def _folder(prepared: Prepared) -> Path:
    """Not yet made, in a folder that the sweep removes if this worker dies."""
    folder = owner.new_folder(prepared.setup.root.absolute() / "live", f"recording-{secrets.token_hex(4)}")
    prepared.made.callback(owner.remove, folder)
    return folder / "recording"


def _wait(prepared: Prepared) -> None:
    """SandboxError: the clients stopped before the load was over."""
    witness, ports = prepared.witness, prepared.ports
    while (left := witness.began + prepared.setup.load_s - ports.clock()) > 0:
        prepared.timeline.must_go_on()
        if not witness.alive:
            raise SandboxError(f"The clients stopped before the end of the load: {witness.trouble}.")
        ports.sleep(min(left, POLL_S))


def _binlog(prepared: Prepared) -> BinlogPlace | None:
    """As the server wrote it, flushed or not: the page cache still answers."""
    place = prepared.look.log
    if not isinstance(place, BinlogPlace):
        return None
    return keep_binlog(place, prepared.made.enter_context(temporary.folder("binlog")))


def _named(prepared: Prepared, before: BinlogPlace | None) -> Mapping[str, int] | None:
    if before is None:
        return None
    read = prepared.look.piece("recorded binlog", lambda: read_binlog(before, prepared.schema, prepared.secret))
    return read.gtids if read else None
