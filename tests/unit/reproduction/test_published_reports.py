"""Published reports of bugs: each is tried by a recipe or has a reason, and the page counts what was reproduced."""

import pytest

from dashboard.findings.claims.outcomes import ClaimOutcome
from dashboard.pages.reproduction.published import REPORTS, UNTRIED_REPORTS, ArticleClaim
from dashboard.pages.reproduction.reproduced import Reproduction, sentence
from dashboard.pages.reproduction.statements import ArticleStatement, Section, report_sections, sections, statements
from tests.markup import flat
from tests.unit.reproduction import asked
from workers.analysis.predicates.bounds import Bounds, Effect
from workers.analysis.predicates.claim import Claim
from workers.analysis.predicates.crashes import CrashShare
from workers.bench import recipes

EXPECTED, CONTROL = Bounds(above=0.0), Bounds(below=0.6)


def statement(failed, of, bounds=EXPECTED):
    claim = Claim("MDEV-1", "It loses.", "", CrashShare(("one",), ("primary-kill",), ("rejoin",)), bounds)
    if of is None:
        return ArticleStatement(asked.recipe(claim), claim)
    effect = Effect("share", failed / of, 0.0, 1.0, "", f"{failed} of {of}") if of else Effect("share", why="none")
    outcome = ClaimOutcome("MDEV-1", "It loses.", "", "", "held", effect, "", "", 1, ())
    return ArticleStatement(asked.recipe(claim), claim, outcome)


def report(*told):
    return Reproduction(Section(ArticleClaim("MDEV-1", "It loses.", ()), told))


REPRODUCED = report(statement(3, 3), statement(0, 3, CONTROL))
NOT = report(statement(0, 3), statement(2, 3, CONTROL))
OPEN = report(statement(0, None), statement(0, 3, CONTROL))


@pytest.mark.parametrize(
    ("found", "said", "look"),
    [
        (REPRODUCED, "reproduced 3 of 3", "held"),
        (report(statement(0, 4), statement(1, 5)), "reproduced 0 of 4; 1 of 5", "held"),
        (NOT, "not in 3", "unknown"),
        (OPEN, "not measured yet", "waiting"),
        (report(statement(0, 0)), "not measured yet", "waiting"),
    ],
)
def test_a_report_says_how_often_the_failure_came_and_a_control_does_not_count(found, said, look):
    assert (found.in_words, found.look) == (said, look)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([REPRODUCED, NOT, REPRODUCED], "2 of 3 published reports were reproduced here."),
        ([REPRODUCED, OPEN], "1 of 1 published reports were reproduced here. 1 more was not tried yet."),
        ([OPEN, OPEN], "None of the 2 published reports was tried here yet."),
    ],
)
def test_the_share_is_one_sentence(found, said):
    assert sentence(found) == said


def test_each_report_of_the_document_is_tried_by_a_recipe_and_expected_to_fail_there():
    expecting = {
        claim.id
        for recipe in recipes.shelf().recipes.values()
        for claim in recipe.claims
        if claim.bounds.above is not None
    }
    assert {one.id for one in REPORTS} <= expecting and len(REPORTS) == 21
    named = {
        claim.id
        for key in recipes.shelf().recipes
        if key.startswith("known-bugs")
        for claim in recipes.load(key).claims
    }
    assert named == {one.id for one in REPORTS}
    assert all(one.why.endswith(".") for one in UNTRIED_REPORTS)


@pytest.mark.django_db
def test_statements_of_reports_stand_apart_from_those_of_articles():
    told = statements(recipes.shelf().recipes.values())
    reports = report_sections(told)
    assert all(one.statements for one in reports)
    assert not {one.id for one in REPORTS} & {each.claim.id for one in sections(told) for each in one.statements}
    assert [Reproduction(one).in_words for one in reports] == ["not measured yet"] * len(REPORTS)


def test_the_page_lists_reports_and_the_reasons_of_the_others(client_in):
    shown = flat(client_in.get("/experiments/claims/").text)
    assert f"None of the {len(REPORTS)} published reports was tried here yet." in shown
    assert "MDEV-33465" in shown and all(one.id in shown for one in UNTRIED_REPORTS)
    table = client_in.get("/experiments/claims/claims.csv").text
    assert "MDEV-33465" in table
