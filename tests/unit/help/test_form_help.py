"""Each field of a form says in a line what it is for."""

import importlib
import pkgutil
from collections.abc import Iterator

import pytest
from django import forms
from django.forms.forms import BaseForm

import dashboard
from dashboard.pages.experiments.forms import PlanForm
from dashboard.pages.servers.forms import FORMS, AttachedForm
from dashboard.records.servers.models import Server

# One field in a line of its own, whose label and button say all.
INLINE = {"RenameForm", "TagsForm", "CommentForm", "NoteForm", "RoleForm"}
NARROWS = {"AuditFilterForm", "ExperimentFilterForm"}  # of a list: what is given narrows, as the page says
# Hidden, or said when the form is made.
OTHERS = {
    "PasskeyForm": {"credential", "name"},
    "PasskeyNameForm": {"name"},
    "ChannelForm": {"address"},
    **{form: {"site"} for form in ("SiteForm", "AttachedForm", "SandboxForm")},
}


def helpless(form: type[BaseForm]) -> list[str]:
    said_elsewhere = OTHERS.get(form.__name__, set())
    return [name for name, field in form.base_fields.items() if not field.help_text and name not in said_elsewhere]


def every_form() -> Iterator[type[BaseForm]]:
    for module in pkgutil.walk_packages(dashboard.__path__, "dashboard."):
        if "forms" in module.name or module.name.endswith((".people", ".expendable", ".failover_manager", ".owner")):
            importlib.import_module(module.name)
    yield from _below(BaseForm)


def _below(kind: type) -> Iterator[type]:
    for one in kind.__subclasses__():
        if one.__module__.startswith("dashboard.") and one.__name__ not in INLINE | NARROWS:
            yield one
        yield from _below(one)


@pytest.mark.parametrize("form", sorted(set(every_form()), key=str))
def test_each_field_has_a_line_of_help(form):
    assert helpless(form) == []


def test_the_search_finds_the_known_forms():
    assert {PlanForm, AttachedForm, *FORMS.values()} <= set(every_form())


def test_a_field_without_help_would_be_found():
    class Bare(forms.Form):
        port = forms.IntegerField()

    assert helpless(Bare) == ["port"]


def test_each_way_of_encrypting_has_words():
    assert Server(tls="verify").get_tls_display() == "verified: always encrypted, and its certificate must match"
