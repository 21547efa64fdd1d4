"""Characters that nobody sees are refused wherever people give names: on pages, by the API, on the command line, in
files that are imported."""

import json
from importlib import import_module

import pytest
from django import forms
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.urls import reverse

from dashboard.installation.home import PROJECT
from dashboard.pages.accounts.adapter import PasskeyForm, PasskeyNameForm
from dashboard.pages.servers.audit_page import PastedForm
from dashboard.pages.servers.forms import AttachedForm, SandboxForm
from dashboard.pages.servers.import_page import ImportServersForm
from dashboard.portable.refused import NotImported
from dashboard.portable.write import file_of
from dashboard.records.accounts import actions
from dashboard.records.accounts.role import Role
from dashboard.records.experiments.models import Comment, Experiment
from dashboard.records.sharing.models import ShareLink
from tests.unit.api.tokens import script, somebody
from tests.unit.bench.plans import plan
from tests.unit.bench.test_review import said
from tests.unit.portable import files
from workers.bench.invisible import OF_A_TEXT, unseen
from workers.bench.plan import Variant, WorkloadChoice

TURNED = "gpj\u202etxt"  # shows the letters after it from right to left
HIDDEN = [TURNED, "a\u200bb", "a\u2066b", "a\ufeffb", "a\u00adb", "a\x1b[31mb", "a\nb", "a\tb", "a\x7fb", "a\u2028b",
          "a\u00a0b", "a\u3164b", "a\u2800b", "a\U000e0041b", "a\ue000b", "a\u200db"]  # fmt: skip
PLAIN = [
    "db1",
    "Ärger in Köln",
    "主库 3",
    "база",
    "שלום",
    "ελ 1/1",
    "\N{PILE OF POO}",
    "a\u0301",
    "⚠\ufe0f",
    "",
]


@pytest.mark.parametrize("name", HIDDEN)
def test_invisible_characters_in_a_name_are_found(name):
    assert unseen(name).startswith("U+")


@pytest.mark.parametrize("name", PLAIN)
def test_visible_characters_in_a_name_are_accepted(name):
    assert unseen(name) == unseen(name, OF_A_TEXT) == ""


def test_a_text_has_lines_and_joined_letters():
    assert unseen("one\n\ttwo \u200d\u200c", OF_A_TEXT) == ""
    assert unseen(TURNED, OF_A_TEXT) == "U+202E (right-to-left override)" and unseen("a\x1bb", OF_A_TEXT)


def typed_fields():
    """Of all forms of the product, what people call something by or write about it."""
    for path in sorted(PROJECT.glob("dashboard/**/*.py")):
        if "migrations" in path.parts or "class" not in (text := path.read_text()) or "forms." not in text:
            continue
        module = import_module(".".join(path.relative_to(PROJECT).with_suffix("").parts))
        for form in vars(module).values():
            if isinstance(form, type) and issubclass(form, forms.BaseForm) and form.__module__ == module.__name__:
                for name in {"name", "note", "text", "tags"} & form.base_fields.keys():
                    yield form, name


ELSEWHERE = {PasskeyForm, PasskeyNameForm, PastedForm, ImportServersForm}  # tested below; stores nothing by itself


def refuses(form, name):
    """By a validator of the field, or a clean_ method that knows only this field."""
    try:
        value = form.base_fields[name].clean(TURNED)
        filled = form.__new__(form)
        filled.cleaned_data, filled.instance = {name: value}, None
        getattr(filled, f"clean_{name}")()
    except ValidationError:
        return True
    except AttributeError:  # it has no such method
        return False
    return False


def test_every_form_refuses_them():
    found = set(typed_fields())
    assert len(found) >= 12 and (AttachedForm, "name") in found and (SandboxForm, "note") in found
    assert not [(form, name) for form, name in found if form not in ELSEWHERE and not refuses(form, name)]


def test_a_form_that_does_not_is_found():
    """The detector itself."""

    class Careless(forms.Form):
        name = forms.CharField()

    assert not refuses(Careless, "name")


def test_passkeys_are_named_so_too(admin):
    for form in (PasskeyForm, PasskeyNameForm):
        assert form.__init__ is not forms.Form.__init__
    passkey = type("P", (), {"wrap": lambda self: type("W", (), {"name": "old"})()})()
    assert "invisible character" in str(PasskeyNameForm({"name": TURNED}, instance=passkey).errors)
    assert PasskeyNameForm({"name": "my key"}, instance=passkey).is_valid()


@pytest.mark.django_db
def test_people_are_named_so_too(client_in):
    page = client_in.post("/people/add/", {"name": "maria\u3164", "role": "viewer"}).content.decode()
    assert "invisible character" in page
    with pytest.raises(ValidationError, match="invisible character"):
        actions.make_admin("maria\u3164")
    with pytest.raises(CommandError, match="invisible character"):
        call_command("makeadmin", "maria\u3164")


@pytest.mark.parametrize(
    ("changes", "what"),
    [({"name": TURNED}, "experiment"), ({"variants": (Variant(TURNED, {}),)}, "variant"),
     ({"workloads": (WorkloadChoice(TURNED, "insert", {}),)}, "workload")],
)  # fmt: skip
def test_a_plan_is_refused_however_it_came(changes, what):
    """Forms, recipes, the API and the command line all ask here."""
    assert f"the name of the {what}" in said(plan(**changes)) and "U+202E" in said(plan(**changes))


@pytest.mark.django_db
def test_the_api_refuses_them():
    operator = script(somebody(Role.OPERATOR, "maria"))
    made = files.experiment()

    def sent(method, path, **body):
        return getattr(operator, method)(f"/api/v1/{path}", json.dumps(body), "application/json").status_code

    assert sent("patch", f"experiments/{made.pk}", name=TURNED) in (400, 422)
    assert sent("post", f"experiments/{made.pk}/comments", text=TURNED) in (400, 422)
    assert sent("post", f"experiments/{made.pk}/links", note=TURNED) in (400, 422)
    assert sent("post", "servers", kind="sandbox", name=TURNED, build="system-mariadb") in (400, 422)
    assert not Comment.objects.exists() and not ShareLink.objects.exists()
    assert Experiment.objects.get(pk=made.pk).name == made.name
    assert sent("patch", f"experiments/{made.pk}", name="plain") == 200


@pytest.mark.django_db
@pytest.mark.parametrize("where", ["experiment", "plan"])
def test_an_import_refuses_them(where):
    file = file_of(files.experiment())
    assert files.imported(files.tampered(file, lambda index: index[where].update(name="plain")))

    with pytest.raises(NotImported, match=r"name"):
        files.imported(files.tampered(file, lambda index: index[where].update(name=TURNED)))


@pytest.mark.django_db
def test_the_page_says_which_character_it_is(client_in):
    made = files.experiment()
    answer = client_in.post(reverse("experiments:rename", args=[made.pk]), {"name": TURNED}, follow=True)
    assert "U+202E (right-to-left override)" in answer.content.decode()
    assert Experiment.objects.get(pk=made.pk).name == made.name
