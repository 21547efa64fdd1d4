"""Makes the archive of a crash point: the disk as the power loss left it, and all that shows the defect elsewhere."""

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from string import Template
from typing import cast

from workers.crash import dialects
from workers.crash.points.export.contents import CNF, COMMITS, POINT, PointFile, commit_lines
from workers.crash.points.recorded import Recorded
from workers.crash.points.story import KILLED, KeptPoint, TriedState
from workers.crash.points.violations import Violation
from workers.crash.replica import Replica
from workers.crash.replica_link import ACCOUNT
from workers.crash.verdict import CheckResult
from workers.errors import SandboxError
from workers.sandbox import options, owner
from workers.sandbox.builds import Build
from workers.sandbox.builds.catalogue import CATALOGUE
from workers.sandbox.disk.image import BLOCK_BYTES, Block
from workers.sandbox.disk.recording.joint import JointState, JointStates
from workers.sandbox.disk.tools import copy_sparse, run
from workers.sandbox.flavours import FAMILIES

HERE = Path(__file__).parent
FOLDER, NOT_SHOWN_FILE = "crash-point", "not-shown.txt"  # in the archive
MOST_BYTES = 32 << 20  # of an archive
NAMES = {"mariadb": "MariaDB", "mysql": "MySQL"}
# Checks that need Durascope: its reader of the binary log, or the binary log as it was before the power loss.
NOT_SHOWN = {"binlog-foreign", "binlog-order", "binlog-rewritten", "gtid-reused"}
POWER_LOSS = """\
A power loss was simulated while clients were committing. `disk.img` holds what the disk could have held at that
moment."""
KILL = """\
The server was stopped while clients were committing. `disk.img` holds its files as kill -9 would have left them at that
moment."""
OF_THIS_SYSTEM = "the package of the operating system"
REPLICA_CNF = "replica.cnf"
PASSWORD = "@PASSWORD@"  # noqa: S105 - the script makes one up


def keep(
    load: Recorded, states: JointStates, violations: Sequence[Violation], first: int = 1
) -> tuple[tuple[KeptPoint, ...], Mapping[int, bytes]]:
    """The archive of each, by its number. `first`: the first number. Raises Cancelled."""
    kept, archives = list[KeptPoint](), dict[int, bytes]()
    for number, one in enumerate(violations, first):
        load.timeline.tell("keep a crash point")
        lacks = ""
        try:
            archives[number] = Exporter(load, states).archive(one.state, one.choice.state)
        except SandboxError as failed:
            lacks = str(failed)
        point = KeptPoint(
            number=number,
            moment=one.state.moment,
            at_s=one.state.at_s,
            keeps=one.state.keeps,
            checks=tuple(sorted(one.failed)),
            n_bytes=len(archives.get(number, b"")),
            lacks=lacks,
        )
        kept.append(point)
    return tuple(kept), archives


@dataclass(frozen=True)
class Exporter:
    load: Recorded
    states: JointStates

    @property
    def build(self) -> Build:
        """A sandbox has one."""
        return cast(Build, self.load.setup.build)

    def archive(self, tried: TriedState, state: JointState) -> bytes:
        """A compressed tar. SandboxError: it is larger than MOST_BYTES, or the host has no space for it."""
        try:
            with owner.live_folder(self.load.setup.root, "export") as live:
                folder = live / FOLDER
                folder.mkdir()
                point = self._point(tried, state)
                for name, disk, blocks in zip(
                    point.images, self.states.disks, self.states.blocks(state.points), strict=True
                ):
                    write_image(folder / name, disk.recording.base, blocks)
                self._furnish(folder, tried, state, point)
                return packed(live, FOLDER)
        except OSError as full:
            raise SandboxError(f"The crash point could not be kept: {full}.", "Make space on the host.") from full

    def _furnish(self, folder: Path, tried: TriedState, state: JointState, point: PointFile) -> None:
        load = self.load
        ledger = load.whole.until(load.at_s(state.until_ns - 1), load.secret, load.margin_s)
        with (folder / COMMITS).open("w") as file:
            file.writelines(commit_lines(ledger, load.secret))
        (folder / POINT).write_text(point.text())
        (folder / CNF).write_text(options.portable_cnf(self.build, load.settings))
        (folder / "README.md").write_text(self._readme(tried))
        for name in ("show.sh", "start.sh", "rows.sql", "rows.awk"):
            (folder / name).write_text((HERE / name).read_text().replace("@SCHEMA@", load.schema))
        if load.replica:
            self._furnish_replica(folder, load.replica)
        hidden = [f"{_said(one)}\n" for one in _failed(tried) if one.key in NOT_SHOWN]
        (folder / NOT_SHOWN_FILE).write_text("".join(hidden))

    def _furnish_replica(self, folder: Path, replica: Replica) -> None:
        for name, text in files_of_replica(self.build, replica.settings).items():
            (folder / name).write_text(text.replace("@SCHEMA@", self.load.schema))

    def _point(self, tried: TriedState, state: JointState) -> PointFile:
        return replace(
            point_file(self.load),
            moment=state.points[-1].moment,
            keeps=self.load.keeps(state),
            failed=tuple(one.key for one in _failed(tried)),
        )

    def _readme(self, tried: TriedState) -> str:
        killed, server = tried.keeps == KILLED, server_in_words(self.build)
        return Template((HERE / "README.md").read_text()).substitute(
            server,
            title=f"A {'kill' if killed else 'power loss'} of {server['server']}",
            happened=KILL if killed else POWER_LOSS,
            checks="\n".join(map(_listed, _failed(tried))) or "- none",
            at_s=f"{tried.at_s:.4f}",
            moment=tried.moment,
            keeps=tried.keeps,
            acknowledged=f"{tried.acknowledged:,}",
            schema=self.load.schema,
        )


def server_in_words(build: Build) -> Mapping[str, str]:
    """For a README: the server, how it was installed, and this machine."""
    entry = CATALOGUE.get(build.key)
    return {
        "server": f"{NAMES[build.flavour]} {build.version_text}",
        "origin": str(entry.source) if entry else OF_THIS_SYSTEM,
        "machine": f"{platform.system()} {platform.release()}, {platform.machine()}",
    }


def point_file(load: Recorded) -> PointFile:
    """What all crash points of the load have in common."""
    return PointFile(
        build=cast(Build, load.setup.build).key,
        settings=dict(load.settings),
        schema=load.schema,
        secret=load.secret.hex(),
        first=load.look.log.first if load.look.log else "",
        has_binlog=load.has_binlog,
        has_gtids=load.has_gtids,
        moment=0,
        keeps="",
        failed=(),
        apart=tuple(sorted(load.setup.storage.apart)) if load.setup.storage else (),
        replica=dict(load.replica.settings) if load.replica else None,
    )


def _failed(tried: TriedState) -> list[CheckResult]:
    return [one for one in tried.checks if one.outcome == "invalid"]


def _said(check: CheckResult) -> str:
    return " ".join(check.says.split())


def _listed(check: CheckResult) -> str:
    return f"- {_said(check)}{' The script does not try this check.' if check.key in NOT_SHOWN else ''}"


def write_image(path: Path, base: Path, blocks: Mapping[int, Block]) -> None:
    """A sparse copy of the base with these blocks over it."""
    copy_sparse(base, path)
    with path.open("r+b", buffering=0) as image:
        for number, content in blocks.items():
            if os.pwrite(image.fileno(), content, number * BLOCK_BYTES) != BLOCK_BYTES:
                raise OSError("the host took only a part of a block")


def packed(live: Path, folder: str) -> bytes:
    """That folder of it. SandboxError: it is larger than MOST_BYTES."""
    file = live / "packed"
    ours = ("--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX")
    run("tar", "--create", "--sparse", "--gzip", *ours, "--file", file, "--directory", live, "--", folder)
    if (size := file.stat().st_size) > MOST_BYTES:
        raise SandboxError(f"The archive has {size >> 20} MiB; {MOST_BYTES >> 20} MiB are kept at most.")
    return file.read_bytes()


def files_of_replica(build: Build, settings: Mapping[str, str]) -> Mapping[str, str]:
    """Name -> text. `settings`: of the replica."""
    dialect, account = dialects.of(build), {"account": ACCOUNT, "password": PASSWORD}
    script = Path(__file__).with_name("follow.sh").read_text()
    return {
        REPLICA_CNF: options.portable_cnf(build, settings),
        "login.sql": FAMILIES[build.flavour].account_sql(build.version).format(password=PASSWORD),
        "source.sql": dialect.account_sql.format(**account),
        "point.sql": dialect.point_sql.format(**account, port="@PORT@", position=dialect.by_gtid),
        "follow.sh": script.replace("@WORD@", dialect.word),
    }
