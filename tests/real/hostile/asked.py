"""What the product asks of a server, with small limits: each function returns the sentences that it got. They run in a
child process of the product's own fork server, so that their memory can be told."""

import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from workers.errors import DurascopeError
from workers.guardrails import gauges, probe
from workers.guardrails.gauges import FreeDisk, Line, OtherThreads, ProbeP99, ReplicaLag
from workers.guardrails.limit import Level
from workers.guardrails.probe import CommitProbe
from workers.metrics import SOURCES
from workers.metrics.source import Subject
from workers.servers import look, preflight, reading, replication, undo
from workers.servers.connection import connect
from workers.servers.dump.copy import CopyLimits, copy
from workers.servers.facts import Facts
from workers.servers.target import Target

FACTS = Facts("mariadb", (10, 11, 6), "10.11.6-MariaDB", {"log_bin": "ON", "datadir": "/d", "hostname": "another"}, {})


@dataclass(frozen=True)
class Heard:
    """`took_bytes`: the peak of the process's memory, beyond what it had at the beginning."""

    says: str
    took_bytes: int
    seconds: float


def heard(use: str, target: Target, seconds: float) -> Heard:
    """`seconds`: for all answers."""
    before, began = _memory("VmRSS"), time.monotonic()
    says = USES[use](target, seconds)
    return Heard(" ".join(says), _memory("VmHWM") - before, time.monotonic() - began)


def _memory(key: str) -> int:
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in status if line.startswith(f"{key}:"))


def tested(target: Target, seconds: float) -> list[str]:
    preflight.WHOLE = (seconds, preflight.WHOLE[1])
    return [f"{one.outcome}: {one.says} {one.fix}" for one in preflight.run(target).checks]


def audited(target: Target, seconds: float) -> list[str]:
    found = reading.read(target, 2 * seconds)
    return [found.why, *(found.replication.unread if found.replication else ())]


def measured(target: Target, seconds: float) -> list[str]:
    return [
        said for source in SOURCES.values() if source.key != "host" for said in _measured(target, source.key, seconds)
    ]


def _measured(target: Target, key: str, seconds: float) -> list[str]:
    try:
        with connect(target, answer_s=seconds) as link:
            subject = Subject(link, FACTS)
            if missing := SOURCES[key].missing(subject):
                return [missing]
            session = SOURCES[key].open(subject)
            session.begin()
            session.tick()
            session.end()
    except DurascopeError as told:
        return [str(told)]
    return []


def guarded(target: Target, seconds: float) -> list[str]:
    gauges.TIMEOUT_S = probe.TIMEOUT_S = seconds
    commits = CommitProbe(target, "durascope_hostile")
    said = _said(commits.start)
    for gauge in (
        OtherThreads(Line(target), FACTS, 10),
        FreeDisk(target, FACTS, Line(target), 1),
        ReplicaLag("r", 1, Line(target), FACTS, commits, 10),
        ProbeP99(commits, 1000),
    ):
        with closing(gauge):
            said += _said(gauge.read)
    commits.stop()
    return said


def _said(ask: Callable[[], Level | None]) -> list[str]:
    try:
        level = ask()
    except DurascopeError as told:
        return [str(told)]
    return [level.unknown] if level and level.unknown else []


def restored(target: Target, seconds: float) -> list[str]:
    undo.WHOLE = (seconds, undo.WHOLE[1])
    try:
        undo.undo(target, [("sync_binlog", "0")], ["durascope_hostile"], lambda *_: None, lambda: None)
    except DurascopeError as told:
        return [str(told)]
    return []


def copied(target: Target, seconds: float) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = copy(target, Path(folder), limits=CopyLimits(seconds, whole_bytes=16 << 20, event_bytes=4 << 20))
        except DurascopeError as told:
            return [str(told)]
        return [*found.refused.values()]


def joined(target: Target, seconds: float) -> list[str]:
    """How it replicates, for the topology of attached servers."""
    try:
        with connect(target, timeout_s=seconds, answer_s=seconds) as link:
            facts = look.read(link)
            found = replication.read(link, facts)
    except DurascopeError as told:
        return [str(told)]
    return [*found.unread, f"{len(found.sources or ())} sources, {len(found.values)} values"]


USES: dict[str, Callable[[Target, float], list[str]]] = {
    "preflight": tested,
    "audit": audited,
    "measurement": measured,
    "guardrails": guarded,
    "restore": restored,
    "dump": copied,
    "topology": joined,
}
