"""What the template of the list of experiments is given. The address holds the choice."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.core.paginator import Paginator
from django.http import HttpRequest, QueryDict

from dashboard.records.accounts.actor import Actor
from dashboard.records.accounts.roles import allowed, require
from dashboard.records.experiments import search, shelf, tags
from dashboard.records.experiments.models import Experiment
from dashboard.records.servers.models import Server

PER_PAGE = 25
ELSE = ("page", "undo")  # in the address, and no filter


class ExperimentFilterForm(forms.Form):
    """Everything may be left out; what is given narrows. Its fields are those of `search.RULES`."""

    words = forms.CharField(
        required=False,
        max_length=search.LONGEST,
        label="Search",
        widget=forms.TextInput(attrs={"type": "search"}),
        help_text="Words in the name, finding, recipe, server, build, variant, workload or tags. All must be found.",
    )
    state = forms.ChoiceField(required=False, choices=[("", "any"), *Experiment.State.choices])
    recipe = forms.ChoiceField(required=False, choices=lambda: [("", "any"), *_recipes()])
    server = forms.ModelChoiceField(Server.objects.all(), required=False, empty_label="any")
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
    """Those that were measured, by their titles."""
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
    """What narrows the list, in words, each with the address without it."""
    for bound in form:
        if not asked.get(bound.name):
            continue
        rest = asked.copy()
        del rest[bound.name]
        yield {"label": str(bound.label), "value": _value(bound), "without": rest.urlencode()}


def _value(bound: forms.BoundField) -> str:
    """As it stands in the form; of what is ticked the label says all."""
    given = bound.value()
    if isinstance(bound.field, forms.BooleanField):
        return ""
    return next((says for key, says in getattr(bound.field, "choices", ()) if str(key) == given), str(given))


def _undo(request: HttpRequest) -> Experiment | None:
    """What was deleted a moment ago, if it still is and this reader may restore it."""
    asked = request.GET.get("undo", "")
    if not asked.isdecimal() or len(asked) > 18 or not allowed(request.user, "tidy"):
        return None
    return Experiment.deleted.filter(pk=asked).first()
