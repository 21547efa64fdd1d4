"""The crash points of a recorded load as a table for files: those that were tried, and those that were not."""

from collections.abc import Iterator

from dashboard.charts.chart import ChartTable, Row
from dashboard.findings.tested import check_title
from workers.crash.points.story import KILL_POINT, PointsStory, TriedState, noun_of
from workers.crash.points.untried import UntriedPoint, unpacked

OUTCOMES = {"valid": "passed", "invalid": "failed", "unknown": "unclear"}
COLUMNS = (
    ("Outcome", "text"), ("Power loss at (s)", "number"), ("Event of the recording", "number"),
    ("On the disk", "text"), ("Chosen", "text"), ("Redo log on the disk (bytes)", "number"),
    ("Binary log on the disk (bytes)", "number"), ("Acknowledged", "number"), ("Failed or unclear checks", "text"),
)  # fmt: skip


BEFORE_LOGS, BEHIND_LOGS = slice(0, 5), slice(7, None)


def table(story: PointsStory, engine: str) -> ChartTable:
    """`engine`: its name. A kill takes nothing from the logs on the disk: how far they were flushed is left out. Raises
    ValueError when the stored list of those that were not tried is damaged."""
    rows = tuple(_rows(story, engine))
    if noun_of(story.states) != KILL_POINT:
        return ChartTable(COLUMNS, rows)
    columns = tuple((name.replace("Power loss", "Killed"), kind) for name, kind in COLUMNS)
    told = tuple(row[BEFORE_LOGS] + row[BEHIND_LOGS] for row in rows)
    return ChartTable(columns[BEFORE_LOGS] + columns[BEHIND_LOGS], told)


def _rows(story: PointsStory, engine: str) -> Iterator[Row]:
    for state in story.states:
        checks = "; ".join(check_title(one.key, engine) for one in state.checks)
        yield (OUTCOMES[state.verdict], *_point(state), state.acknowledged, checks)
    for point in unpacked(story.untried_list):
        yield ("not tried", *_point(point), None, None)


def _point(point: TriedState | UntriedPoint) -> Row:
    return (point.at_s, point.moment, point.keeps, point.way, point.redo, point.binlog)
