"""Help texts are texts: what they are made of is shown as it was written, unless we wrote it as HTML."""

import pytest
from django import forms
from django.conf import settings
from django.template.loader import render_to_string

from dashboard.pages.experiments.forms import PlanForm
from dashboard.pages.portable.views import ImportForm


def shown(field):
    return render_to_string("components/field.html", {"field": field})


def test_a_help_text_made_from_user_input_is_escaped():
    class Form(forms.Form):
        one = forms.CharField(help_text=f"Now {'<button form=x>'}.")

    assert "Now &lt;button form=x&gt;." in shown(Form()["one"])


@pytest.mark.parametrize(
    ("form", "name", "html"),
    [
        (PlanForm, "own_workloads", "<code>label: workload parameter=value</code>, as in <code>ten rows:"),
        (ImportForm, "file", "from <em>Export as a file</em> on a result page"),
    ],
)
def test_help_texts_written_as_html_keep_their_tags(db, form, name, html):
    assert html in shown(form()[name])


def test_no_template_trusts_a_text():
    templates = list(settings.TEMPLATES[0]["DIRS"][0].rglob("*.html"))
    trusting = [one.name for one in templates if "|safe" in one.read_text() or "autoescape off" in one.read_text()]
    assert templates and not trusting
