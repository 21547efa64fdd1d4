"""The page of all claims as a table for files."""

from dashboard.charts.chart import ChartTable, Row
from dashboard.pages.reproduction.statements import ArticleStatement, Section

COLUMNS = (
    "claim", "statement", "predicate", "article", "outcome", "measured", "95 % from", "95 % to", "unit", "counts",
    "why", "today", "recipe", "experiment", "size", "measured at", "server", "builds", "storage",
)  # fmt: skip


def table(sections: list[Section]) -> ChartTable:
    rows = tuple(_row(one) for section in sections for one in section.statements)
    return ChartTable(tuple((title, "text") for title in COLUMNS), rows)


def _row(one: ArticleStatement) -> Row:
    experiment, at = one.newest.experiment if one.newest else None, one.measured_at
    effect, claim = one.answer and one.answer.measured, one.claim
    figures = (effect.value, effect.lo, effect.hi, effect.unit, effect.counts) if effect else (None, None, None, "", "")
    return (
        claim.id, claim.says, claim.in_words, claim.article, one.outcome, *figures, one.why, one.today, one.recipe.key,
        experiment.pk if experiment else None, experiment.recipe_size if experiment else "",
        at.isoformat() if at else "", one.server, ", ".join(one.builds), ", ".join(one.storages),
    )  # fmt: skip
