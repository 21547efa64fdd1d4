"""Whether group commit works: fsyncs per commit of each log by threads. They fall if commits share them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboard.charts.chart import NOT_AVAILABLE, Axis, Chart, ChartSeries, ChartTable, Dot, Row, sources
from dashboard.findings.lines import VariantLine
from dashboard.findings.point import SourcedFigure
from dashboard.text.numbers import at, sig
from workers.analysis.group_commit import GroupCommit

DRAWN = {"binlog": False, "redo": True}  # log -> dashed
COLUMNS = (
    ("variant", "text"), ("log", "text"), ("group commit", "text"), ("fsyncs per commit, fewest threads", "number"),
    ("threads", "whole"), ("fsyncs per commit, most threads", "number"), ("at threads", "whole"),
    ("left", "percent"), ("95 % from", "percent"), ("95 % to", "percent"), ("works from", "whole"), ("why", "text"),
)  # fmt: skip


def group_commit(lines: Sequence[VariantLine]) -> Chart:
    needed = [(line, log) for line, log in _known(lines) if line.models.group_commit[log].verdict != "no need"]
    series = tuple(one for place in needed if (one := _series(*place)).dots)
    used = [found for line in lines for point in line.points for log in DRAWN if (found := point.fsyncs_of(log))]
    return Chart(
        key="group-commit",
        title="Group commit: fsyncs per commit by log",
        kind="scaling",
        x=Axis("threads", scale="log2"),
        y=Axis("fsyncs per commit", scale="log", can_toggle_log=True),
        table=ChartTable(COLUMNS, tuple(_row(line, log, line.models.group_commit[log]) for line, log in _known(lines))),
        series=series,
        empty="" if series else _why_not(used),
        source=sources([found.source for found in used]),
        note="Solid: binlog, dashed: redo log. Where commits share fsyncs the line falls with the threads.",
    )


def _why_not(used: Sequence[SourcedFigure]) -> str:
    if used:
        return "No commit waits for an fsync, so group commit is not needed."
    return f"Fsyncs per commit of the logs are {NOT_AVAILABLE}: whether group commit works is unclear."


SAYS = {
    "does not work": ("failed", "group commit does not work"),
    "unknown": ("unknown", "unclear whether group commit works"),
    "works": ("passed", "group commit works"),
    "no need": ("idle", "group commit not needed"),
}  # a variant gets the first verdict that one of its logs has


@dataclass(frozen=True)
class LineVerdict:
    """Whether group commit works for a variant. `state`: a class of badges.css; `logs`: the figures of each log."""

    state: str
    name: str
    says: str
    logs: tuple[str, ...]


def verdicts(lines: Sequence[VariantLine]) -> list[LineVerdict]:
    """For the list above the chart: a variant with its worst verdict and the figures of its logs."""
    logs: dict[str, dict[str, GroupCommit]] = {}
    for line, log in _known(lines):
        logs.setdefault(line.name, {})[log] = line.models.group_commit[log]
    return [_verdict(name, judged) for name, judged in logs.items()]


def _verdict(name: str, judged: Mapping[str, GroupCommit]) -> LineVerdict:
    state, says = next(SAYS[one] for one in SAYS if one in {each.verdict for each in judged.values()})
    return LineVerdict(state, name, says, tuple(_told(log, one) for log, one in judged.items()))


def _told(log: str, judged: GroupCommit) -> str:
    if judged.drop is None or judged.low_threads is None or judged.high_threads is None:
        return f"{log}: {judged.why}"
    counts = f"{sig(judged.alone)} fsyncs per commit at {at(judged.low_threads)}"
    return f"{log}: {counts}, {sig(judged.together)} at {at(judged.high_threads)}: {judged.verdict}."


def _known(lines: Sequence[VariantLine]) -> list[tuple[VariantLine, str]]:
    return [(line, log) for line in lines for log in DRAWN if any(point.fsyncs_of(log) for point in line.points)]


def _series(line: VariantLine, log: str) -> ChartSeries:
    """A log axis has no place for zero."""
    known = [(p.threads, found.value) for p in line.points if (found := p.fsyncs_of(log)) and found.value > 0]
    return ChartSeries(
        f"{line.name}, {log}", line.colour, tuple(Dot(x, y) for x, y in known), dash=2 * line.dash + DRAWN[log]
    )


def _row(line: VariantLine, log: str, judged: GroupCommit) -> Row:
    drop = judged.drop
    ends = (drop.value, drop.lo, drop.hi) if drop else (None, None, None)
    return (
        line.name, log, judged.verdict, judged.alone, judged.low_threads, judged.together,
        judged.high_threads, *ends, judged.works_from, judged.why,
    )  # fmt: skip
