"""The page's table for spreadsheets and programs."""

from typing import Any

from dashboard.charts.chart import Table
from dashboard.pages.reproduction.statements import Section, Statement

COLUMNS = (
    "claim", "statement", "predicate", "article", "outcome", "measured", "95 % from", "95 % to", "unit", "counts",
    "why", "today", "recipe", "experiment", "size", "measured at", "server", "builds", "storage",
)  # fmt: skip


def table(sections: list[Section]) -> Table:
    rows = tuple(_row(one) for section in sections for one in section.statements)
    return Table(tuple((title, "text") for title in COLUMNS), rows)


def _row(one: Statement) -> tuple[Any, ...]:
    measured, experiment, at = one.measured, one.newest.experiment if one.newest else None, one.measured_at
    return (
        one.id, one.says, one.asks, one.article, one.outcome, measured["value"], measured["lo"], measured["hi"],
        measured["unit"], measured["counts"], one.why, one.today, one.recipe.key,
        experiment.pk if experiment else None, experiment.recipe_size if experiment else "",
        at.isoformat() if at else "", one.server, ", ".join(one.builds), ", ".join(one.storages),
    )  # fmt: skip
