"""Recovers the disk of an archive once more, on a server of the same build, and judges it.

The binary log as it was before the power loss is not in the archive. So the checks that compare with it stay unclear.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import cast

from workers.crash.checks import run_checks
from workers.crash.collect import Case, of_answering, of_refusing
from workers.crash.disks import DATA, LOGS, ServerDisks, must_have_data, places_on
from workers.crash.evidence import Evidence, ReplicaSeen
from workers.crash.inspect import BinlogPlace, Inspector
from workers.crash.ledger import Ledger
from workers.crash.points.export.contents import (
    COMMITS,
    DISK,
    LOGS_DISK,
    POINT,
    REPLICA_DISK,
    PointFile,
    ledger_of,
    read_point,
)
from workers.crash.points.export.history import HistoryFile, read_history
from workers.crash.points.export.write import FOLDER
from workers.crash.points.judge_history import judge_history
from workers.crash.points.story import counting
from workers.crash.replica import Replica, followed
from workers.crash.replica_link import Link
from workers.crash.verdict import CheckResult
from workers.errors import PlanError, SandboxError, ServerEnded
from workers.sandbox import owner
from workers.sandbox.builds import Build
from workers.sandbox.disk import ability
from workers.sandbox.disk.tools import run
from workers.sandbox.disk.volatile import VolatileDisk
from workers.sandbox.server import Sandbox
from workers.servers.target import Target

Start = Callable[[Mapping[str, str], ServerDisks], Sandbox]  # ServerEnded: it ends because of what is on its disk


@dataclass(frozen=True)
class JudgedAgain:
    point: PointFile | HistoryFile
    checks: tuple[CheckResult, ...]

    @property
    def failed(self) -> tuple[str, ...]:
        return tuple(one.key for one in self.checks if one.outcome == "invalid")


def recover_again(archive: bytes, root: Path, find: Callable[[str], Build], user: str = "") -> JudgedAgain:
    """Everything is removed. Raises PlanError when this host cannot do it, and SandboxError."""
    must_be_possible()
    with owner.live_folder(root, "export") as live:
        folder = unpacked(archive, live, FOLDER)
        text = (folder / POINT).read_text()
        if history := read_history(text):
            return _judge_history(folder, history, root, find(history.build), user)
        point = read_point(text)
        with (folder / COMMITS).open() as lines:
            ledger = ledger_of(lines, bytes.fromhex(point.secret))
        return judge_disks(folder, point, ledger, root, find(point.build), user)


def must_be_possible() -> None:
    """Raises PlanError when this host cannot simulate a disk."""
    if why := ability.missing():
        raise PlanError("A crash point cannot be recovered on this host.", why)


def judge_disks(folder: Path, point: PointFile, ledger: Ledger, root: Path, build: Build, user: str) -> JudgedAgain:
    """`folder`: with the images of the disks. `ledger`: what was acknowledged by then. Everything that is made is
    removed."""
    with ExitStack() as made:
        disks = _disks(made, folder, root, point.apart)
        of_replica = _disks(made, folder, root, image=REPLICA_DISK) if point.replica is not None else None
        evidence = _evidence(point, ledger, disks, of_replica, partial(_started, made, root, build, user))
        return JudgedAgain(point, counting(run_checks(ledger, evidence), len(ledger.acknowledged())))


def _judge_history(folder: Path, history: HistoryFile, root: Path, build: Build, user: str) -> JudgedAgain:
    with ExitStack() as made:
        disks = _disks(made, folder, root)

        def recovered() -> tuple[Sandbox, None]:
            return _started(made, root, build, user, history.settings, disks), None

        return JudgedAgain(history, (judge_history(recovered, history.allowed).check(history.allowed),))


def _disks(made: ExitStack, archive: Path, root: Path, apart: Sequence[str] = (), image: str = DISK) -> ServerDisks:
    """As they were recorded, in one folder: the binlog's index holds its way from the datadir."""
    folder = made.enter_context(owner.live_folder(root, "disks"))
    data = made.enter_context(VolatileDisk.create(folder / DATA, image=archive / image))
    if not apart:
        return ServerDisks(data)
    logs = made.enter_context(VolatileDisk.create(folder / LOGS, image=archive / LOGS_DISK))
    return ServerDisks(data, logs, places_on(logs.mnt, apart))


def _replicas(point: PointFile, primary: Sandbox, disks: ServerDisks | None, start: Start) -> tuple[ReplicaSeen, ...]:
    """The replica of the archive starts and follows the recovered primary."""
    if disks is None:
        return ()
    settings = point.replica or {}

    def started() -> Replica:
        replica = start(settings, disks)
        return Replica(replica, Link(primary, replica), bytes.fromhex(point.secret), settings)

    return followed(started)


def _evidence(
    point: PointFile, ledger: Ledger, disks: ServerDisks, of_replica: ServerDisks | None, start: Start
) -> Evidence:
    """Checks that compare with the binary log before the power loss are left without evidence."""
    datadir = _mnt(disks) / "data"
    place = BinlogPlace(disks.places.binlog_index(datadir), point.first, home=datadir)
    look = Inspector(_Down(), point.schema, bytes.fromhex(point.secret), place)
    case = Case(
        look=look,
        ledger=ledger,
        has_binlog=point.has_binlog,
        has_gtids=point.has_gtids,
        before=None,
        gtid_before="",
        replica_expected=point.replica is not None,
    )
    try:
        server = start(point.settings, disks)
    except ServerEnded as ended:
        return of_refusing(case, ended.message, ())
    found = of_answering(replace(case, look=replace(look, server=server)), ())
    return replace(found, replicas=_replicas(point, server, of_replica, start), problems=tuple(look.problems))


def _started(
    made: ExitStack, root: Path, build: Build, user: str, settings: Mapping[str, str], disks: ServerDisks
) -> Sandbox:
    """ServerEnded: the server ends because of what is on the disk."""
    must_have_data(_mnt(disks) / "data")
    server = Sandbox.create(
        root,
        build,
        settings,
        name="crash point",
        trace=False,
        user=user,
        datadir_on=_mnt(disks),
        logs=disks.places,
    )
    return made.enter_context(server)


def _mnt(disks: ServerDisks) -> Path:
    """Of the data."""
    return cast(VolatileDisk, disks.data).mnt


class _Down:
    """A server that did not start: only its files are read."""

    @property
    def target(self) -> Target:
        raise SandboxError("The server did not start.")


def unpacked(archive: bytes, live: Path, folder: str) -> Path:
    """SandboxError: it is no archive with this folder."""
    packed = live / "packed"
    packed.write_bytes(archive)
    ours = ("--no-same-owner", "--no-same-permissions")
    run("tar", "--extract", "--gzip", "--file", packed, "--directory", live, *ours, "--", folder)
    return live / folder
