"""What an experiment found: the sentences of its result page, the first of them kept in its row for lists."""

from dashboard.findings.claims.outcomes import outcomes_of
from dashboard.findings.crash.finding import crash_finding
from dashboard.findings.finding import Finding, finding, progress
from dashboard.findings.shown import Shown, shown
from dashboard.records.experiments.models import Experiment


def conclusion(experiment: Experiment, view: Shown) -> Finding:
    """What the crashes showed, where there were any; else what the measuring found."""
    if view.trials:
        return crash_finding(view, experiment.is_over)
    return finding(view, progress(experiment, experiment.cells.values_list("state", flat=True), view.clean))


def sentences(experiment: Experiment) -> list[str]:
    """The first is the one on top of the result page."""
    names = {target["server_id"]: target["name"] for target in experiment.plan["targets"]}
    found = conclusion(experiment, shown(experiment, {}, names))
    return [found.sentence, *found.more]


def remember(experiment: Experiment) -> None:
    """Work the statistics out once, so that no page has to. Whoever ends an experiment calls this."""
    experiment.finding = sentences(experiment)[0]
    Experiment.objects.filter(pk=experiment.pk).update(finding=experiment.finding)
    experiment.note_words()
    outcomes_of(experiment)
