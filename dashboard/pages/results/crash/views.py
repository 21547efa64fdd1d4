"""Pages of crash trials. Share links open them too: `token` is that of the link, and hosts, accounts and paths are then
hidden."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from dashboard.pages.accounts.gate import needs
from dashboard.pages.buttons import button
from dashboard.pages.results import queries
from dashboard.pages.results.crash import listing, point_list, trial_page
from dashboard.pages.results.files import TABLE_FORMS
from dashboard.pages.results.reader import reader_of
from dashboard.records.accounts.roles import allowed
from dashboard.records.audit.models import record
from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment, KeptCrashPoint
from workers.crash.points.story import RECORDING


@needs("see", "GET")
def trials(request: HttpRequest, experiment_id: int, token: str = "") -> HttpResponse:
    """The trials of an experiment, or of one cell of its matrix."""
    experiment = get_object_or_404(Experiment, pk=experiment_id)
    context = listing.context(experiment, request.GET, reader_of(experiment, token))
    return render(request, "results/trials.html", context)


@needs("see", "GET")
def trial(request: HttpRequest, trial_id: int, token: str = "") -> HttpResponse:
    found = get_object_or_404(queries.trials(), pk=trial_id)
    may_repeat = not token and found.may_be_repeated and allowed(request.user, "crash", found.server)
    context = trial_page.context(found, reader_of(found.experiment, token))
    return render(request, "results/trial.html", {**context, "may_repeat": may_repeat})


@needs("see", "GET")
def crash_point(request: HttpRequest, trial_id: int, number: int) -> HttpResponse:
    """The archive of a kept crash point. Guests of share links have no such address."""
    return archive(request, trial_id, number)


def archive(request: HttpRequest, trial_id: int, number: int) -> HttpResponse:
    """Of a kept crash point, or of the recording, for somebody who may see it; noted in the audit log."""
    kept = get_object_or_404(KeptCrashPoint, trial__in=queries.trials().filter(pk=trial_id), number=number)
    what = f"crash point {number}" if number != RECORDING else "the recording"
    record(request.user, "downloaded", f"{what} of trial {trial_id}", experiment=kept.trial.experiment_id)
    response = HttpResponse(bytes(kept.archive), content_type="application/gzip")
    name = f"recording-{trial_id}" if number == RECORDING else f"crash-point-{trial_id}-{number}"
    response["Content-Disposition"] = f'attachment; filename="{name}.tar.gz"'
    response["Content-Encoding"] = "identity"  # GZipMiddleware must not compress it again
    return response


@needs("see", "GET")
def crash_points(request: HttpRequest, trial_id: int, form: str) -> HttpResponse:
    """The list of them as a file."""
    found = get_object_or_404(queries.trials(), pk=trial_id, evidence__isnull=False)
    story = found.evidence.known.points
    if story is None or form not in TABLE_FORMS:
        raise Http404("A load with crash points has crash-points.csv and crash-points.json.")
    try:
        table = point_list.table(story, trial_page.engine_of_trial(found))
    except ValueError as damaged:  # an imported file may hold any text there
        raise Http404(f"The list of crash points cannot be read. {damaged}.") from damaged
    return TABLE_FORMS[form](table, f"crash-points-{trial_id}")


repeat = button(
    queries.trials(),
    "results:trial",
    "crash",
    lambda user, trial: actions.repeat_trial(trial, user),
    "The trial is queued again, with the same seed. It does not count in the statistics.",
    then=lambda trial: reverse("experiments:show", args=[trial.experiment_id]),
)
