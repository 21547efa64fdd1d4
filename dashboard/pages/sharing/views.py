"""Pages to create, list, annotate and revoke links. `opened` has the pages behind a link."""

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from dashboard.findings.compare.choice import choice
from dashboard.pages.accounts.gate import needs
from dashboard.pages.sharing import comparisons, embedding
from dashboard.records.experiments.models import Experiment
from dashboard.records.sharing import actions, queries
from dashboard.records.sharing.models import ShareLink
from dashboard.text.names import check_name

PER_PAGE = 50
EXPIRIES = (
    ("", "never"),
    ("1", "after 1 day"),
    ("7", "after 7 days"),
    ("30", "after 30 days"),
    ("90", "after 90 days"),
)


class ShareForm(forms.Form):
    days = forms.TypedChoiceField(
        label="Expires", choices=EXPIRIES, coerce=int, empty_value=None, required=False, initial="30",
        help_text="The link stops working at this time. You can revoke it earlier.",
    )  # fmt: skip
    note = forms.CharField(
        label="Note",
        required=False,
        max_length=200,
        validators=[check_name],
        help_text="For example the receiver of the link. People with the link do not see the note.",
    )
    embeddable = forms.BooleanField(
        label="Other sites may show its charts",
        required=False,
        help_text="Other web pages can embed single charts of this result. Everybody who opens those pages sees them.",
    )


class NoteForm(forms.Form):
    note = forms.CharField(required=False, max_length=200, validators=[check_name])


def _table(request: HttpRequest, experiment: Experiment | None = None) -> dict[str, object]:
    """Context of `sharing/_links.html`. `here`: address of the page with the table."""
    only_open = "open" in request.GET
    links = queries.links(experiment, only_open=only_open)
    here = reverse("sharing:list", args=[experiment.pk]) if experiment else reverse("sharing:all")
    query = "open=1" if only_open else ""
    return {
        "page": Paginator(links, PER_PAGE).get_page(request.GET.get("page")),
        "only_open": only_open,
        "query": query,
        "here": f"{here}?{query}" if query else here,
    }


@needs("share", "GET")
def all_links(request: HttpRequest) -> HttpResponse:
    return render(request, "sharing/all.html", _table(request))


@needs("share", "GET")
def links(request: HttpRequest, pk: int) -> HttpResponse:
    return _page(request, get_object_or_404(Experiment, pk=pk), ShareForm())


def _page(
    request: HttpRequest, experiment: Experiment, form: ShareForm, made: dict[str, object] | None = None
) -> HttpResponse:
    context = {"experiment": experiment, "form": form, "made": made, **_table(request, experiment)}
    response = render(request, "sharing/list.html", context)
    response["Cache-Control"] = "no-store"  # it may hold a new token
    return response


@needs("share", "POST")
def create(request: HttpRequest, pk: int) -> HttpResponse:
    """No redirect: this answer alone shows the address, which is stored nowhere. The popover of a result page asks for
    JSON."""
    experiment = get_object_or_404(Experiment, pk=pk)
    form = ShareForm(request.POST)
    if not form.is_valid():
        return _page(request, experiment, form)
    made = actions.share(request.user, experiment, **form.cleaned_data)
    if request.headers.get("Accept") == "application/json":
        return JsonResponse({"address": _address(request, made[1])}, headers={"Cache-Control": "no-store"})
    return _page(request, experiment, ShareForm(), _shown_once(request, *made))


def _shown_once(request: HttpRequest, link: ShareLink, token: str) -> dict[str, object]:
    """Context of `sharing/_made.html`."""
    return {
        "address": _address(request, token),
        "frames": embedding.frames(request, link, token) if link.embeddable else [],
    }


def _address(request: HttpRequest, token: str) -> str:
    return request.build_absolute_uri(reverse("sharing:show", args=[token]))


@needs("share", "GET", "POST")
def compare(request: HttpRequest) -> HttpResponse:
    """Create a link to the compare page with this query."""
    chosen, compared = comparisons.there(choice(request.GET))
    if not compared:
        messages.error(request, "This comparison has no measurements. Choose some first. No link was created.")
        return redirect("results:compare")
    form, made = ShareForm(request.POST if request.method == "POST" else None), None
    if form.is_valid():
        shared = actions.share(request.user, None, comparison=chosen.query(), compared=compared, **form.cleaned_data)
        made = _shown_once(request, *shared)
        form = ShareForm()
    context = {"form": form, "made": made, "query": chosen.query(), "compared": compared, "choice": chosen}
    response = render(request, "sharing/compare.html", context)
    response["Cache-Control"] = "no-store"
    return response


@needs("share", "POST")
def annotate(request: HttpRequest, pk: int) -> HttpResponse:
    link, form = get_object_or_404(ShareLink.objects.kept(), pk=pk), NoteForm(request.POST)
    if form.is_valid():
        actions.annotate(request.user, link, form.cleaned_data["note"])
        messages.success(request, "The note is saved.")
    else:
        messages.error(request, "A note has at most 200 letters. The old note was kept.")
    return _back(request, link)


@needs("share", "POST")
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    link = get_object_or_404(ShareLink.objects.kept(), pk=pk)
    actions.revoke(request.user, link)
    messages.success(request, "The link is revoked and no longer works.")
    return _back(request, link)


def _back(request: HttpRequest, link: ShareLink) -> HttpResponse:
    """To the list with the button."""
    asked = request.POST.get("next", "")
    if asked.startswith("/") and url_has_allowed_host_and_scheme(asked, allowed_hosts=None):
        return redirect(asked)
    return redirect("sharing:list", link.experiment_id) if link.experiment_id else redirect("sharing:all")
