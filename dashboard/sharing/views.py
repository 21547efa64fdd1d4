"""Links to a result: made and revoked by whoever is logged in, opened by anyone who has one."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from dashboard.accounts.gate import needs
from dashboard.experiments.models import Experiment, Run
from dashboard.results import queries
from dashboard.results import views as results
from dashboard.results.crash import views as crash
from dashboard.results.reader import reader_of
from dashboard.sharing import actions
from dashboard.sharing.forms import ShareForm
from dashboard.sharing.models import ShareLink


def _page(request: HttpRequest, experiment: Experiment, form: ShareForm, address: str = "") -> HttpResponse:
    context = {"experiment": experiment, "links": experiment.links.select_related("created_by"), "form": form}
    response = render(request, "sharing/list.html", {**context, "address": address})
    response["Cache-Control"] = "no-store"  # it may hold a fresh token
    return response


@needs("share")
@require_safe
def links(request: HttpRequest, pk: int) -> HttpResponse:
    return _page(request, get_object_or_404(Experiment, pk=pk), ShareForm())


@needs("share")
@require_POST
def create(request: HttpRequest, pk: int) -> HttpResponse:
    """Answers with the page itself, not a redirect: the address is shown this once and kept nowhere."""
    experiment = get_object_or_404(Experiment, pk=pk)
    form = ShareForm(request.POST)
    if not form.is_valid():
        return _page(request, experiment, form)
    _, token = actions.share(request.user, experiment, **form.cleaned_data)
    address = request.build_absolute_uri(reverse("sharing:show", args=[token]))
    return _page(request, experiment, ShareForm(), address)


@needs("share")
@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    link = get_object_or_404(ShareLink.objects.select_related("experiment"), pk=pk)
    actions.revoke(request.user, link)
    messages.success(request, "The link is revoked: it shows nothing from now on.")
    return redirect("sharing:list", link.experiment_id)


def opened(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Turn a token into its link, or into a page that says why there is nothing; no trace for others."""

    @needs("enter")
    @require_safe
    @wraps(view)
    def wrapped(request: HttpRequest, token: str, **rest: str) -> HttpResponse:
        link = actions.find(token)
        if link and link.is_open:
            response = view(request, link, token, **rest)
        else:
            response = render(request, "sharing/gone.html", {"link": link, "shared": True}, status=410 if link else 404)
        response["Referrer-Policy"] = "no-referrer"
        response["X-Robots-Tag"] = "noindex, nofollow"
        response["Cache-Control"] = "private, no-cache"
        return response

    return wrapped


@opened
def show(request: HttpRequest, link: ShareLink, token: str) -> HttpResponse:
    actions.count_view(link)
    return results.result_page(request, link.experiment, shared=True, link_token=token)


@opened
def chart(request: HttpRequest, link: ShareLink, token: str, key: str, form: str) -> HttpResponse:
    return results.chart(request, link.experiment_id, key, form)


@opened
def cell(request: HttpRequest, link: ShareLink, token: str, cell_id: int) -> HttpResponse:
    return results.measurement_page(request, _run(link, cell_id), reader_of(link.experiment, token))


@opened
def cell_chart(request: HttpRequest, link: ShareLink, token: str, cell_id: int, key: str, form: str) -> HttpResponse:
    return results.measurement_chart(_run(link, cell_id), reader_of(link.experiment, token), key, form)


def _run(link: ShareLink, cell_id: int) -> Run:
    """A link opens its own experiment's cells only."""
    return get_object_or_404(queries.run_of(cell_id).filter(cell__experiment=link.experiment))


@opened
def trials(request: HttpRequest, link: ShareLink, token: str) -> HttpResponse:
    return crash.trials_page(request, link.experiment, reader_of(link.experiment, token))


@opened
def trial(request: HttpRequest, link: ShareLink, token: str, trial_id: int) -> HttpResponse:
    found = get_object_or_404(queries.trial(trial_id).filter(experiment=link.experiment))
    return crash.one_trial_page(request, found, reader_of(link.experiment, token))
