"""Makes the archive of a crash point: the disk as the power loss left it, and all that shows the defect elsewhere."""

import errno
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from string import Template
from typing import cast

from workers.crash import dialects
from workers.crash.points.export.contents import CNF, COMMITS, POINT, PointFile, commit_lines
from workers.crash.points.recorded import Recorded
from workers.crash.points.story import KILLED, KeptPoint, TriedState
from workers.crash.points.violations import Violation
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
from workers.servers.flavours import FLAVOURS

HERE = Path(__file__).parent
FOLDER, NOT_SHOWN_FILE = "crash-point", "not-shown.txt"  # in the archive
MOST_BYTES = 32 << 20  # of an archive
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
    """The archive of each that could be kept, by its number. `first`: the first number. Raises Cancelled."""
    points, archives = list[KeptPoint](), dict[int, bytes]()
    for number, one in enumerate(violations, first):
        load.timeline.tell("keep a crash point")
        archive, lacks = archive_of(load, states, one.state, one.choice.state)
        if archive:
            archives[number] = archive
        point = KeptPoint(
            number=number,
            moment=one.state.moment,
            at_s=one.state.at_s,
            keeps=one.state.keeps,
            checks=tuple(sorted(one.failed)),
            n_bytes=len(archive),
            lacks=lacks,
        )
        points.append(point)
    return tuple(points), archives


def archive_of(load: Recorded, states: JointStates, tried: TriedState, state: JointState) -> tuple[bytes, str]:
    """See `kept`."""
    return kept(load.setup.root, FOLDER, partial(_fill, load, states, tried, state))


def kept(root: Path, name: str, fill: Callable[[Path], None]) -> tuple[bytes, str]:
    """A compressed tar of the folder that `fill` fills, b"" with a reason if it could not be kept."""
    try:
        with owner.live_folder(root, "export") as live:
            folder = live / name
            folder.mkdir()
            fill(folder)
            return packed(live, name), ""
    except OSError as failed:
        is_full = failed.errno in (errno.ENOSPC, errno.EDQUOT)
        return b"", f"The archive could not be kept: {failed}.{' Make space on the host.' if is_full else ''}"
    except SandboxError as failed:
        return b"", str(failed)


def _fill(load: Recorded, states: JointStates, tried: TriedState, state: JointState, folder: Path) -> None:
    build, failed = _build(load), [one for one in tried.checks if one.outcome == "invalid"]
    point = replace(
        point_file(load),
        moment=state.points[-1].moment,
        keeps=load.keeps(state),
        failed=tuple(one.key for one in failed),
    )
    for name, disk, blocks in zip(point.images, states.disks, states.blocks(state.points), strict=True):
        write_image(folder / name, disk.recording.base, blocks)
    ledger = load.whole.until(load.at_s(state.until_ns - 1), load.secret, load.margin_s)
    with (folder / COMMITS).open("w") as file:
        file.writelines(commit_lines(ledger, load.secret))
    (folder / POINT).write_text(point.text())
    (folder / CNF).write_text(options.portable_cnf(build, load.settings))
    (folder / "README.md").write_text(_readme(build, tried, failed, load.schema))
    texts = {name: (HERE / name).read_text() for name in ("show.sh", "start.sh", "rows.sql", "rows.awk")}
    if load.replica:
        texts |= files_of_replica(build, load.replica.settings)
    for name, text in texts.items():
        (folder / name).write_text(text.replace("@SCHEMA@", load.schema))
    hidden = [f"{_said(one)}\n" for one in failed if one.key in NOT_SHOWN]
    (folder / NOT_SHOWN_FILE).write_text("".join(hidden))


def _readme(build: Build, tried: TriedState, failed: Sequence[CheckResult], schema: str) -> str:
    killed, server = tried.keeps == KILLED, server_in_words(build)
    return Template((HERE / "README.md").read_text()).substitute(
        server,
        title=f"A {'kill' if killed else 'power loss'} of {server['server']}",
        happened=KILL if killed else POWER_LOSS,
        checks="\n".join(map(_listed, failed)) or "- none",
        at_s=f"{tried.at_s:.4f}",
        moment=tried.moment,
        keeps=tried.keeps,
        acknowledged=f"{tried.acknowledged:,}",
        schema=schema,
    )


def server_in_words(build: Build) -> Mapping[str, str]:
    """For a README: the server, how it was installed, and this machine."""
    entry = CATALOGUE.get(build.key)
    return {
        "server": f"{FLAVOURS[build.flavour].title} {build.version_text}",
        "origin": str(entry.source) if entry else OF_THIS_SYSTEM,
        "machine": f"{platform.system()} {platform.release()}, {platform.machine()}",
    }


def point_file(load: Recorded) -> PointFile:
    """What all crash points of the load have in common."""
    return PointFile(
        build=_build(load).key,
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


def _build(load: Recorded) -> Build:
    """A sandbox has one."""
    return cast(Build, load.setup.build)


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
    script = (HERE / "follow.sh").read_text()
    return {
        REPLICA_CNF: options.portable_cnf(build, settings),
        "login.sql": FAMILIES[build.flavour].account_sql(build.version).format(password=PASSWORD),
        "source.sql": dialect.account_sql.format(**account),
        "point.sql": dialect.point_sql.format(**account, port="@PORT@", position=dialect.by_gtid),
        "follow.sh": script.replace("@WORD@", dialect.word),
    }
