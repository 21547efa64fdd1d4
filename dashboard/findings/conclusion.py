"""What an experiment found: the sentences of its result page, the first of them kept in its row for lists."""

from dashboard.findings.claims.outcomes import outcomes_of
from dashboard.findings.crash.finding import crash_finding
from dashboard.findings.finding import CellProgress, Finding, finding, progress
from dashboard.findings.names import server_names
from dashboard.findings.shown import ResultView, shown
from dashboard.records.experiments.models import Experiment
from workers.bench.plan import Plan


def conclusion(experiment: Experiment, view: ResultView) -> Finding:
    """What the crashes showed, where there were any; else what the measuring found."""
    if view.trials:
        return of_crashes(experiment, view)
    return of_load(view, progress(experiment, experiment.cells.values_list("state", flat=True), view.clean))


def of_crashes(experiment: Experiment, view: ResultView) -> Finding:
    return crash_finding(view.settings, view.trials, view.pairs, experiment.is_over)


def of_load(view: ResultView, progress: CellProgress) -> Finding:
    return finding(view.pairs if view.points else (), view.counts, progress)


def sentences(experiment: Experiment) -> list[str]:
    """The first is the one on top of the result page."""
    found = conclusion(experiment, shown(experiment, {}, server_names(Plan.from_dict(experiment.plan))))
    return list(found.sentences)


def remember(experiment: Experiment) -> None:
    """Work the statistics out once, so that no page has to. Whoever ends an experiment calls this."""
    experiment.finding = sentences(experiment)[0]
    Experiment.objects.filter(pk=experiment.pk).update(finding=experiment.finding)
    experiment.note_words()
    outcomes_of(experiment)
