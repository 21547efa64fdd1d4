"""The sentences of a result page. What it says first is kept in the experiment's row for lists."""

from django.db.models import QuerySet

from dashboard.findings.answer import ResultAnswer, answer, answer_without_crashes
from dashboard.findings.claims.outcomes import outcomes_of
from dashboard.findings.crash.finding import crash_finding
from dashboard.findings.crash.self_test import self_test
from dashboard.findings.crash.tried_settings import note_tried_settings
from dashboard.findings.finding import CellProgress, Finding, finding, progress
from dashboard.findings.service_level import service_levels, worst
from dashboard.findings.shown import ResultView, shown
from dashboard.findings.written import written_lines
from dashboard.records.experiments.models import WORDS, Experiment
from dashboard.records.experiments.states import OVER


def conclusion(experiment: Experiment, view: ResultView) -> Finding:
    """The finding on the crashes, if there were any; else on the load."""
    if view.trials:
        return crash_finding(view.settings, view.trials, view.pairs, experiment.is_over)
    return of_load(view, progress(experiment, experiment.cells.values_list("state", flat=True), view.clean))


def of_load(view: ResultView, progress: CellProgress) -> Finding:
    return finding(view.pairs if view.points else (), view.counts, progress)


def sentences(experiment: Experiment) -> list[str]:
    """The first is the first sentence of the result page."""
    return list(conclusion(experiment, shown(experiment)).sentences)


def summary(experiment: Experiment) -> list[str]:
    """What the first screen of the result page says, for a console."""
    view = shown(experiment)
    told = answer_of(view, conclusion(experiment, view))
    choice = (told.recommendation.choice,) if told.recommendation else ()
    checked = (self_test(view.trials).says,) if view.trials else ()
    return list(dict.fromkeys(filter(None, (*told.sentences, told.doubt, told.cost, *choice, *told.more, *checked))))


def answer_of(view: ResultView, found: Finding) -> ResultAnswer:
    return answer(view, found, self_test(view.trials)) if view.trials else answer_without_crashes(view, found)


def in_brief(experiment: Experiment, view: ResultView) -> str:
    """The headline of the result page: what was lost and what safety costs; without trials, the speed."""
    found = conclusion(experiment, view)
    told = answer_of(view, found)
    first = " ".join(told.sentences if view.trials else ()) or found.sentence
    return " ".join(filter(None, (first, told.doubt)))


def remember(experiment: Experiment) -> None:
    """Compute the statistics once, so that no page has to. Call this when an experiment ends."""
    note_tried_settings(experiment)
    view = shown(experiment)
    levels = service_levels(view)
    experiment.finding = " ".join([in_brief(experiment, view), *(f"{one.title}: {one.says}" for one in levels)])
    experiment.level = worst([one.met for one in levels]) if levels else ""
    experiment.written = written_lines(experiment)
    known = {"finding": experiment.finding, "level": experiment.level, "written": experiment.written}
    Experiment.objects.filter(pk=experiment.pk).update(**known, finding_words=WORDS)
    experiment.note_words()
    outcomes_of(experiment)


def in_old_words() -> QuerySet[Experiment]:
    """Ended experiments of which an older version stored the headline and the settings that were tried."""
    return Experiment.objects.filter(state__in=OVER, finding_words__lt=WORDS).exclude(finding="")
