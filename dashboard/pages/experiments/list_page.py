"""The context of the list of experiments. The filters are in the address."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, QueryDict

from dashboard.pages.servers.offered import ServerField
from dashboard.records.accounts.actor import Actor
from dashboard.records.accounts.roles import allowed, require
from dashboard.records.experiments import search, shelf, tags
from dashboard.records.experiments.models import Experiment
from dashboard.records.servers.models import Server
from dashboard.text.asked import asked_number

PER_PAGE = 25
ELSE = ("page", "undo")  # parameters that are no filters


class ExperimentFilterForm(forms.Form):
    """All filters are optional. The fields are those of `search.RULES`."""

    words = forms.CharField(
        required=False,
        max_length=search.LONGEST,
        label="Search",
        widget=forms.TextInput(attrs={"type": "search"}),
        help_text="Finds the experiments that have each of your words in the name, finding, recipe, server, build, "
        "setting, workload or tags.",
    )
    state = forms.ChoiceField(required=False, choices=[("", "any"), *Experiment.State.choices])
    recipe = forms.ChoiceField(required=False, choices=lambda: [("", "any"), *_recipes()])
    server = ServerField(Server.objects.all(), required=False, empty_label="any")
    tag = forms.ChoiceField(
        required=False, choices=lambda: [("", "any"), *((one.name, one.name) for one in tags.in_use())]
    )
    mine = forms.BooleanField(required=False, label="Started by me")
    deleted = forms.BooleanField(required=False, label="Deleted")

    def __init__(self, data: QueryDict, user: Actor) -> None:
        super().__init__(data)
        if not allowed(user, "tidy"):
            del self.fields["deleted"]

    def clean_server(self) -> int | None:
        server = self.cleaned_data["server"]
        return server.pk if server else None


def _recipes() -> Iterator[tuple[str, str]]:
    """The measured recipes with their titles."""
    known = shelf.shelf().recipes
    used = Experiment.objects.exclude(recipe="").order_by("recipe").values_list("recipe", flat=True).distinct()
    return ((key, known[key].title if key in known else key) for key in used)


def context(request: HttpRequest) -> dict[str, Any]:
    asked = request.GET.copy()
    for name in ELSE:
        asked.pop(name, None)
    if "deleted" in asked:
        require(request.user, "tidy")
    form = ExperimentFilterForm(asked, request.user)
    rows = search.found(form.cleaned_data, request.user) if form.is_valid() else []
    return {
        "form": form,
        "page": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "query": asked.urlencode(),
        "chosen": list(_chosen(form, asked)),
        "undo": _undo(request),
        "deleted": "deleted" in asked,
    }


def _chosen(form: ExperimentFilterForm, asked: QueryDict) -> Iterator[dict[str, str]]:
    """The active filters in words, each with the address that lacks it."""
    for bound in form:
        if not asked.get(bound.name):
            continue
        rest = asked.copy()
        del rest[bound.name]
        yield {"label": str(bound.label), "value": _value(bound), "without": rest.urlencode()}


def _value(bound: forms.BoundField) -> str:
    """The value as in the form; "" for a tick, whose label says enough."""
    given = bound.value()
    if isinstance(bound.field, forms.BooleanField):
        return ""
    return next((says for key, says in getattr(bound.field, "choices", ()) if str(key) == given), str(given))


def _undo(request: HttpRequest) -> Experiment | None:
    """The experiment that was just deleted, if it is not restored yet and this reader may restore it."""
    asked = asked_number(request.GET.get("undo"))
    return Experiment.deleted.filter(pk=asked).first() if asked and allowed(request.user, "tidy") else None
