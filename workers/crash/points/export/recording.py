"""The recording of a load as one archive, and the recovery of crash points that its trial did not try.

The binary log as it was before the power loss is not in the archive. So the checks that compare with it stay unclear.
"""

import json
import os
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from workers.crash.ledger import Ledger
from workers.crash.points.choose import choices_of
from workers.crash.points.export.again import JudgedAgain, judge_disks, must_be_possible, unpacked
from workers.crash.points.export.contents import CNF, COMMITS, PointFile, commit_lines, ledger_of, read_point
from workers.crash.points.export.write import kept, point_file, write_image
from workers.crash.points.recorded import NS, Recorded
from workers.crash.points.story import KeptRecording
from workers.errors import SandboxError
from workers.sandbox import options, owner
from workers.sandbox.builds import Build
from workers.sandbox.disk.recording.filemap import FileMap
from workers.sandbox.disk.recording.joint import JointChoice, JointStates
from workers.sandbox.disk.recording.recording import BASE, EVENTS, Recording
from workers.sandbox.disk.recording.states import States
from workers.sandbox.disk.replay import ReplayDisk

FOLDER, FACTS = "recording", "recording.json"  # in the archive
README = """The recording of a load. Of each disk: its content when the recording began (base), and every write and
flush (events). commits.txt holds each row that the clients sent, and when its commit was acknowledged.
Durascope tries more of its crash points: manage.py experiment crash-points TRIAL
"""


@dataclass(frozen=True, kw_only=True)
class RecordingFacts:
    """`point`: what all its crash points have in common; `began_s`: when the load began, on the clock of the disks."""

    point: PointFile
    disks: tuple[str, ...]
    seed: int
    points: int
    began_s: float
    margin_s: float

    def text(self) -> str:
        return json.dumps(vars(self) | {"point": json.loads(self.point.text())}, indent=1)


def keep_recording(load: Recorded) -> tuple[KeptRecording, bytes]:
    """Its archive, b"" if it is not kept. Raises Cancelled."""
    if load.is_killed:
        return KeptRecording(n_bytes=0, lacks="A recording of kill points is not kept: all of them were tried."), b""
    load.timeline.tell("keep the recording")
    archive, lacks = kept(load.setup.root, FOLDER, partial(_fill, load))
    return KeptRecording(n_bytes=len(archive), lacks=lacks), archive


def _fill(load: Recorded, folder: Path) -> None:
    for name, recording in zip(load.disks, (load.recording, *load.more), strict=True):
        (folder / name).mkdir()
        for file in (BASE, EVENTS):
            os.link(recording.base.with_name(file), folder / name / file)
    with (folder / COMMITS).open("w") as lines:
        lines.writelines(commit_lines(load.whole, load.secret))
    setup = load.setup
    facts = RecordingFacts(
        point=point_file(load),
        disks=load.disks,
        seed=setup.seed,
        points=setup.points,
        began_s=load.witness.began,
        margin_s=load.margin_s,
    )
    (folder / FACTS).write_text(facts.text())
    (folder / CNF).write_text(options.portable_cnf(setup.build, load.settings) if setup.build else "")
    (folder / "README.md").write_text(README)


def read_facts(text: str) -> RecordingFacts:
    """SandboxError: another version wrote it."""
    try:
        known: dict[str, Any] = json.loads(text)
        point, disks = read_point(json.dumps(known.pop("point"))), tuple(known.pop("disks"))
        return RecordingFacts(**known, point=point, disks=disks)
    except (ValueError, TypeError, KeyError) as wrong:
        raise SandboxError(f"This is no recording of this version: {wrong}.", "Run the trial again.") from None


def try_more(
    archive: bytes, root: Path, find: Callable[[str], Build], user: str, skip: int, most: int
) -> Iterator[JudgedAgain]:
    """The next crash points after the first `skip`, which the trial tried. Everything is removed. Raises PlanError when
    this host cannot do it, and SandboxError."""
    must_be_possible()
    with owner.live_folder(root, "export") as live:
        folder = unpacked(archive, live, FOLDER)
        facts = read_facts((folder / FACTS).read_text())
        with (folder / COMMITS).open() as lines:
            whole = ledger_of(lines, bytes.fromhex(facts.point.secret))
        states = JointStates([States(Recording.load(folder / name)) for name in facts.disks])
        files = [_map_of(one, live) for one in states.disks]
        choices = choices_of(states, files, facts.seed, facts.points, facts.point.replica is not None)
        for choice in choices[skip : skip + most]:
            yield _judged(facts, whole, states, choice, live, (root, find(facts.point.build), user))


def _map_of(states: States, live: Path) -> FileMap:
    """By the file system's own map."""
    folder = live.with_name(f"disk-{secrets.token_hex(4)}")
    with ReplayDisk.replay(folder, states.recording) as disk:
        return FileMap.of(states, disk)


def _judged(
    facts: RecordingFacts,
    whole: Ledger,
    states: JointStates,
    choice: JointChoice,
    live: Path,
    server: tuple[Path, Build, str],
) -> JudgedAgain:
    state, secret = choice.state, bytes.fromhex(facts.point.secret)
    folder = owner.new_folder(live, "point")
    try:
        for name, disk, blocks in zip(facts.point.images, states.disks, states.blocks(state.points), strict=True):
            write_image(folder / name, disk.recording.base, blocks)
        ledger = whole.until((state.until_ns - 1) / NS - facts.began_s, secret, facts.margin_s)
        point = replace(facts.point, moment=state.points[-1].moment, keeps=choice.way)
        return judge_disks(folder, point, ledger, *server)
    finally:
        owner.remove(folder)
