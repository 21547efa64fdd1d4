"""Makes the archive of a wrong state of a small history, and reads it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from string import Template
from typing import Any, cast

from workers.crash.chain import Begun
from workers.crash.points.export.contents import CNF, DISK, POINT
from workers.crash.points.export.write import FOLDER, HERE, kept, server_in_words, write_image
from workers.crash.points.histories import SCHEMA, TABLES
from workers.crash.points.judge_history import JudgedState
from workers.crash.points.play import Answered, Played
from workers.crash.points.server_content import CONTENT_SQL, ServerContent
from workers.crash.points.story import HISTORY, KeptPoint
from workers.errors import SandboxError
from workers.sandbox import options
from workers.sandbox.builds import Build
from workers.sandbox.disk.recording.states import States

SCRIPTS = {"show-history.sh": "show.sh", "start.sh": "start.sh", "transactions.awk": "transactions.awk"}
ALLOWED = "allowed"  # a folder of the archive


@dataclass(frozen=True)
class KeptState:
    """`archive` b"": `point.lacks` says why there is none."""

    point: KeptPoint
    archive: bytes


@dataclass(frozen=True, kw_only=True)
class HistoryFile:
    """What Durascope must know of the archive of a state of a small history. `allowed`: what the server must hold."""

    history: str
    build: str
    settings: Mapping[str, str]
    statements: tuple[str, ...]
    moment: int
    keeps: str
    allowed: tuple[Answered, ...]

    @property
    def failed(self) -> tuple[str, ...]:
        """Keys of the checks that failed in the trial."""
        return (HISTORY,)

    def text(self) -> str:
        return json.dumps(asdict(self), indent=1)


def read_history(text: str) -> HistoryFile | None:
    """None: it is the crash point of a recorded load. SandboxError: another version wrote it."""
    try:
        known: dict[str, Any] = json.loads(text)
        if "history" not in known:
            return None
        allowed = tuple(map(_answered, known.pop("allowed")))
        return HistoryFile(**known | {"statements": tuple(known["statements"])}, allowed=allowed)
    except (ValueError, TypeError, KeyError, AttributeError) as wrong:
        raise SandboxError(f"This is no state of a small history of this version: {wrong}.", "Run it again.") from None


def _answered(known: dict[str, Any]) -> Answered:
    held = known["content"]
    tables = tuple((name, definition, tuple(rows)) for name, definition, rows in held["tables"])
    content = ServerContent(tables, tuple(held["prepared"]), held["logged"])
    return Answered(known["statement"], known["answered_ns"], content, tuple(known["wrote"]))


def keep_state(begun: Begun, played: Played, states: States, judged: JudgedState) -> KeptState:
    """`begun`: with the settings of the history. Raises Cancelled."""
    begun.timeline.tell("keep a crash point")
    tried = judged.tried
    archive, lacks = kept(begun.setup.root, FOLDER, partial(_fill, begun, played, states, judged))
    point = KeptPoint(
        number=0,
        moment=tried.moment,
        at_s=tried.at_s,
        keeps=tried.keeps,
        checks=(HISTORY,),
        n_bytes=len(archive),
        lacks=lacks,
        history=played.history.title,
    )
    return KeptState(point, archive)


def _fill(begun: Begun, played: Played, states: States, judged: JudgedState, folder: Path) -> None:
    write_image(folder / DISK, played.recording.base, states.blocks(judged.state.point))
    build, allowed = cast(Build, begun.setup.build), played.allowed(judged.state)
    point = HistoryFile(
        history=played.history.title,
        build=build.key,
        settings=dict(begun.settings),
        statements=tuple(_statements(played, judged)),
        moment=judged.tried.moment,
        keeps=judged.tried.keeps,
        allowed=allowed,
    )
    (folder / POINT).write_text(point.text())
    (folder / CNF).write_text(options.portable_cnf(build, begun.settings))
    (folder / "README.md").write_text(_readme(build, point, judged))
    (folder / "content.sql").write_text(CONTENT_SQL)
    for source, name in SCRIPTS.items():
        (folder / name).write_text((HERE / source).read_text())
    if judged.held:
        _write(folder / "held.txt", judged.held.text)
    write_allowed(folder / ALLOWED, allowed)


def write_allowed(folder: Path, allowed: Sequence[Answered]) -> None:
    """Of each the content, and what the binary log must hold: the number of transactions, and texts."""
    folder.mkdir()
    for number, one in enumerate(allowed, 1):
        _write(folder / f"{number}.txt", one.content.text)
        _write(folder / f"{number}.binlog", "".join(f"{line}\n" for line in (one.content.logged, *one.wrote)))


def _write(path: Path, text: str) -> None:
    path.write_text(text, errors="surrogateescape")


def _statements(played: Played, judged: JudgedState) -> Iterator[str]:
    """Of the history, up to those under way."""
    yield from (f"before: {statement}" for statement in (f"CREATE SCHEMA {SCHEMA}", *TABLES))
    steps, answered = played.history.steps, judged.tried.acknowledged
    for client, statement in steps[:answered]:
        yield f"client {client + 1}, answered: {statement}"
    for client, statement in steps[answered : answered + 1]:
        yield f"client {client + 1}, under way: {statement}"
    if played.at_once and answered >= len(steps):
        for one, told_ns in played.at_once.statements:
            how = "answered" if told_ns < judged.state.until_ns else "under way"
            yield f"client {one.client + 1}, sent at once, {how}: {one.statement}"


def _readme(build: Build, point: HistoryFile, judged: JudgedState) -> str:
    server, tried = server_in_words(build), judged.tried
    after = (
        f"- `{ALLOWED}/{number}.txt`: after {one.statement or 'the beginning'}, with {one.content.logged} transactions "
        "in the binary log"
        for number, one in enumerate(point.allowed, 1)
    )
    held = f"`held.txt`, with {judged.held.logged} transactions in the binary log" if judged.held else "not readable"
    return Template((HERE / "README-history.md").read_text()).substitute(
        server,
        title=f"A power loss of {server['server']}: {point.history}",
        says="\n".join(f"- {' '.join(check.says.split())}" for check in tried.checks),
        at_s=f"{tried.at_s:.4f}",
        moment=tried.moment,
        keeps=tried.keeps,
        statements="\n".join(f"    {line}" for line in point.statements),
        allowed="\n".join(after),
        held=held,
        schema=SCHEMA,
    )
