"""For tests: a server with data on one recorded disk and logs on another, loaded and crashed at joint points."""

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from workers.crash.checks import run_checks
from workers.crash.collect import Case, of_answering, of_refusing
from workers.crash.digest import new_secret
from workers.crash.image import witness_image
from workers.crash.inspect import BinlogPlace, Inspector
from workers.crash.ledger import Ledger
from workers.crash.replica import SCHEMA
from workers.crash.verdict import CheckResult
from workers.crash.witness import Witness
from workers.errors import ServerEnded
from workers.sandbox.builds import find
from workers.sandbox.disk import prepared
from workers.sandbox.disk.recording.filemap import FileMap
from workers.sandbox.disk.recording.joint import JointChoice, JointState, JointStates, in_order
from workers.sandbox.disk.recording.recording import Recording
from workers.sandbox.disk.recording.states import States
from workers.sandbox.disk.replay import ReplayDisk
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.log_places import LogPlaces
from workers.sandbox.options import BINLOG_BASE
from workers.sandbox.server import Sandbox
from workers.sandbox.users import unprivileged_user

NS = 1_000_000_000
SECRET = new_secret()
MARGIN_S = 0.001


@dataclass(frozen=True)
class Crashable:
    """`server`: down, with its files on the replay disks (data, logs)."""

    server: Sandbox
    settings: Mapping[str, str]
    ledger: Ledger
    began_s: float
    joint: JointStates
    disks: tuple[ReplayDisk, ...]
    index: Path | None

    def choices(self, seed: int) -> list[JointChoice]:
        roles = [FileMap.of(states, disk).role for states, disk in zip(self.joint.disks, self.disks, strict=True)]
        return in_order(self.joint, roles, seed)

    def known(self, state: JointState) -> Ledger:
        """What the clients knew at the last moment at which the state was possible."""
        return self.ledger.until(state.until_ns / NS - self.began_s, SECRET, MARGIN_S)

    def bad(self, state: JointState) -> list[CheckResult]:
        """The checks that are not valid in this state, after the server's recovery."""
        self.server.kill()
        for states, disk, point in zip(self.joint.disks, self.disks, state.points, strict=True):
            disk.become(states.blocks(point))
        case = Case(
            look=Inspector(self.server, SCHEMA, SECRET, BinlogPlace(self.index) if self.index else None),
            ledger=self.known(state),
            has_binlog=self.index is not None,
            has_gtids=False,
            before=None,
            gtid_before="",
        )
        try:
            recovery = self.server.recover(self.settings)
        except ServerEnded as ended:
            evidence = of_refusing(case, ended.message, self.server.log_text.splitlines())
        else:
            evidence = of_answering(case, recovery.log_lines)
        return [check for check in run_checks(case.ledger, evidence) if check.outcome != "valid"]


@contextmanager
def recorded(
    root: Path,
    build_key: str,
    settings: Mapping[str, str],
    *,
    seconds: float,
    clients: int = 8,
    flush_ms: float = 1,
    busy: Callable[[Sandbox], None] = lambda server: None,
    killed: bool = False,
) -> Iterator[Crashable]:
    """Redo and binlog on the second disk. `busy` is called during the load. `killed`: at the end of the load all that
    the server wrote is given to the disks, as it survives a kill."""
    build = find(build_key)
    key = witness_image(root, build, "InnoDB", "")
    with ExitStack() as made:
        data = made.enter_context(prepared.new_disk(root, build, unprivileged_user(), image_key=key))
        logs = made.enter_context(VolatileDisk.create(root / "live" / f"{data.folder.name}-logs", 1 << 30))
        places = LogPlaces(logs.mnt / "redo", logs.mnt / "binlog")
        how = {"name": "two devices", "image_key": key, "trace": False, "datadir_on": data.mnt, "logs": places}
        server = made.enter_context(Sandbox.create(root, build, settings, **how))
        folder = root / f"recorded-{data.folder.name}"
        folder.mkdir()
        made.callback(shutil.rmtree, folder)
        ledger, began_s = _load(server, (data, logs), folder, seconds, clients, flush_ms, busy, killed)
        server.kill()
        data.remove()
        logs.remove()
        joint = JointStates([States(Recording.load(folder / name)) for name in ("data", "logs")])
        replays = tuple(  # at the old paths: the binlog's index holds them
            made.enter_context(ReplayDisk.replay(disk.folder, states.recording))
            for disk, states in zip((data, logs), joint.disks, strict=True)
        )
        index = logs.mnt / "binlog" / f"{BINLOG_BASE}.index" if settings.get("log_bin") == "ON" else None
        yield Crashable(server, settings, ledger, began_s, joint, replays, index)
        server.kill()


def _load(
    server: Sandbox,
    disks: tuple[VolatileDisk, ...],
    folder: Path,
    seconds: float,
    clients: int,
    flush_ms: float,
    busy: Callable[[Sandbox], None],
    killed: bool,
) -> tuple[Ledger, float]:
    witness = Witness(server.target, SCHEMA, clients, SECRET)
    try:
        for disk, name in zip(disks, ("data", "logs"), strict=True):
            disk.storage(1000 * flush_ms)
            disk.record(folder / name)
        witness.begin()
        until = time.monotonic() + seconds
        busy(server)
        time.sleep(max(0, until - time.monotonic()))
        server.freeze(between_calls=killed)
        witness.drain()
        for disk in disks if killed else ():
            disk.write_out()
        for disk in disks:
            disk.stop_recording()
            disk.give_way()
        return witness.ledger(), witness.began
    finally:
        witness.close()
