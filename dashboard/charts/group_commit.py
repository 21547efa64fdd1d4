"""Whether group commit works: fsyncs per commit of each log by threads. They fall if commits share them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dashboard.charts.chart import Chart, ChartSeries, Dot, Row, described, sources
from dashboard.findings.lines import VariantLine
from dashboard.findings.per_commit import FILES
from dashboard.text.numbers import at, sig
from workers.analysis.group_commit import GroupCommit

DRAWN = {"redo": False, "binlog": True}  # log -> dashed


def group_commit(lines: Sequence[VariantLine]) -> Chart:
    needed = [(line, log) for line, log in _known(lines) if line.models.group_commit[log].verdict != "no need"]
    series = [one for place in needed if (one := _series(*place)).dots]
    used = [found for line in lines for point in line.points for log in DRAWN if (found := point.fsyncs_of(log))]
    return described(
        "group-commit",
        [_row(line, log, line.models.group_commit[log]) for line, log in _known(lines)],
        series,
        empty="No commit waits for an fsync: group commit has nothing to save." if used and not series else None,
        source=sources([found.source for found in used]),
    )


SAYS = {
    "does not work": ("failed", "commits do not share fsyncs: group commit does not work"),
    "unknown": ("unknown", "unclear whether commits share fsyncs"),
    "works": ("passed", "commits share fsyncs: group commit works"),
    "no need": ("idle", "no flushes to share"),
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
    return LineVerdict(state, name, says, tuple(_told(log, one, says) for log, one in judged.items()))


def _told(log: str, judged: GroupCommit, of_all: str) -> str:
    """`of_all`: the verdict on the variant, which is not repeated."""
    if judged.drop is None or judged.low_threads is None or judged.high_threads is None:
        return f"{FILES[log]}: {judged.why}"
    counts = f"{sig(judged.alone)} fsyncs per commit at {at(judged.low_threads)}"
    says = SAYS[judged.verdict][1]
    verdict = "" if says == of_all else f": {says}"
    return f"{FILES[log]}: {counts}, {sig(judged.together)} at {at(judged.high_threads)}{verdict}."


def _known(lines: Sequence[VariantLine]) -> list[tuple[VariantLine, str]]:
    return [(line, log) for line in lines for log in DRAWN if any(point.fsyncs_of(log) for point in line.points)]


def _series(line: VariantLine, log: str) -> ChartSeries:
    """A log axis has no place for zero."""
    known = [(p.threads, found.value) for p in line.points if (found := p.fsyncs_of(log)) and found.value > 0]
    return ChartSeries(
        f"{line.name}, {FILES[log]}", line.colour, tuple(Dot(x, y) for x, y in known), dash=2 * line.dash + DRAWN[log]
    )


def _row(line: VariantLine, log: str, judged: GroupCommit) -> Row:
    drop = judged.drop
    ends = (drop.value, drop.lo, drop.hi) if drop else (None, None, None)
    return (
        line.name, FILES[log], judged.verdict, judged.alone, judged.low_threads, judged.together,
        judged.high_threads, *ends, judged.works_from, judged.why,
    )  # fmt: skip
