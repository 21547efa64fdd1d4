from collections.abc import Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from dashboard.charts.chart import ChartTable, Row
from dashboard.pages.accounts.gate import needs
from dashboard.pages.reproduction.published import UNTRIED_REPORTS
from dashboard.pages.reproduction.reproduced import Reproduction
from dashboard.pages.reproduction.reproduced import sentence as reports_sentence
from dashboard.pages.reproduction.statements import ArticleStatement, Section, report_sections, sections, statements
from dashboard.pages.reproduction.summary import counts, measured_between, of_the_articles, sentence
from dashboard.pages.results.files import TABLE_FORMS
from dashboard.records.experiments import shelf


@needs("see", "GET")
def claims(request: HttpRequest) -> HttpResponse:
    return render(request, "reproduction/claims.html", _context(statements(shelf.shelf().recipes.values())))


def _context(told: Sequence[ArticleStatement]) -> dict[str, object]:
    found, reports = sections(told), [Reproduction(one) for one in report_sections(told)]
    counted = counts(of_the_articles(found))
    return {
        "sections": [{"section": one, "counts": counts(one.statements)} for one in found],
        "counts": counted,
        "sentence": sentence(counted),
        "reports": reports,
        "reports_sentence": reports_sentence(reports),
        "untried": UNTRIED_REPORTS,
        "between": measured_between(of_the_articles(found)),
    }


@needs("see", "GET")
def file(request: HttpRequest, form: str) -> HttpResponse:
    if form not in TABLE_FORMS:
        raise Http404("No such form.")
    told = statements(shelf.shelf().recipes.values())
    return TABLE_FORMS[form](table([*sections(told), *report_sections(told)]), "claims")


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
