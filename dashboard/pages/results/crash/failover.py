"""The part of a trial's page that only a failover has."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.findings.stored import read
from dashboard.text.numbers import duration, ms, whole
from workers.topology.setup_and_result import FailoverStory, Rejoin, WriteOutage

WIDTH, HEIGHT, GAP = 1000, 100, 1


@dataclass(frozen=True)
class AcknowledgedBar:
    """`look`: kept (the old primary acknowledged) or after (the new one); in thousandths and hundredths."""

    look: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class FailoverView:
    because: str
    facts: tuple[tuple[str, str], ...]
    bars: tuple[AcknowledgedBar, ...]
    fault_x: float
    seconds: float


def view(stored: object, fault_at_s: float) -> FailoverView | None:
    """None: the trial was no failover."""
    if not stored:
        return None
    story = read(FailoverStory, stored)
    tenths = max(len(story.per_100_ms), len(story.after_per_100_ms), 1)
    return FailoverView(
        because=story.because,
        facts=tuple(_facts(story)),
        bars=_bars(story, tenths),
        fault_x=round(min(10 * fault_at_s / tenths, 1) * WIDTH, 1),
        seconds=tenths / 10,
    )


def sentence(acknowledged: int, lost: int, took_ms: float | None, crash: str) -> str:
    """What this failover lost."""
    last = f" (the last {ms(took_ms)})" if took_ms is not None else ""
    return f"After this {crash} the new primary lacks {whole(lost)} of {whole(acknowledged)} acknowledged commits{last}"


def _facts(story: FailoverStory) -> Sequence[tuple[str, str]]:
    facts = [
        ("Promoted", story.promoted),
        ("Writes refused for", _outage(story.outage)),
        ("Read, then lost", f"{_known(story.phantoms)} commits; the reader asked {whole(story.reads)} times"),
        ("Only on the old primary", _ghosts(story)),
        ("Old primary as replica" if story.promoted else "Crashed replica", _rejoin(story.rejoin)),
    ]
    if counted := story.semi_sync:
        facts.append(("Semi-synchronous waits", f"{whole(counted.acknowledged)} ended by a replica's answer"))
        facts.append(("Without a replica's answer", whole(counted.not_acknowledged)))
    return [(name, says) for name, says in facts if says]


def _known(count: int | None) -> str:
    return "unknown" if count is None else whole(count)


def _outage(outage: WriteOutage | None) -> str:
    if outage is None:
        return ""
    parts = [
        f"{duration(took)} {what}"
        for took, what in (
            (outage.detection_s, "until the failover began"),
            (outage.failover_s, "for the promotion"),
            (outage.login_s, "for the clients' logins"),
        )
        if took
    ]
    return f"{duration(outage.total_s)}, of them {', '.join(parts)}"


def _ghosts(story: FailoverStory) -> str:
    if story.ghosts is None:
        return ""
    return f"{whole(story.ghosts)} commits, {_known(story.ghosts_acknowledged)} of them acknowledged"


def _rejoin(rejoin: Rejoin | None) -> str:
    if rejoin is None:
        return ""
    if rejoin.state == "stopped":
        return f"refused: {rejoin.says}"
    if rejoin.different_rows is None:
        return f"unknown: {rejoin.says}"
    if rejoin.different_rows or rejoin.doubled:
        doubled = f", {whole(rejoin.doubled)} transactions are there twice" if rejoin.doubled else ""
        return f"follows without an error; {whole(rejoin.different_rows)} rows differ{doubled}"
    return "follows with the same rows"


def _bars(story: FailoverStory, tenths: int) -> tuple[AcknowledgedBar, ...]:
    highest = max(*story.per_100_ms, *story.after_per_100_ms, 1)
    wide = WIDTH / tenths
    return tuple(
        AcknowledgedBar(
            look,
            round(at * wide, 1),
            round(HEIGHT - count / highest * HEIGHT, 1),
            round(max(wide - GAP, GAP), 1),
            round(count / highest * HEIGHT, 1),
        )
        for look, counts in (("kept", story.per_100_ms), ("after", story.after_per_100_ms))
        for at, count in enumerate(counts)
        if count
    )
