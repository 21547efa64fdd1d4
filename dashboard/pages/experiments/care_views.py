"""Buttons and small forms on the page of an experiment."""

from functools import partial

from django import forms
from django.urls import reverse

from dashboard.pages.buttons import button
from dashboard.records.experiments import actions, care, queries, tags
from dashboard.records.experiments.models import Comment, Experiment
from dashboard.text.names import check_name, check_text

EXPERIMENTS, SHOW = Experiment.objects.all(), "experiments:show"


def lines_of(text: str) -> str:
    """As it was typed: browsers send line breaks as two characters, and count them as one."""
    return text.replace("\r\n", "\n").strip()


class RenameForm(forms.Form):
    name = forms.CharField(max_length=Experiment._meta.get_field("name").max_length, validators=[check_name])


class TagsForm(forms.Form):
    tags = forms.CharField(required=False, max_length=1000)

    def clean_tags(self) -> list[str]:
        try:
            return tags.normalised(self.cleaned_data["tags"])
        except tags.NoTag as wrong:
            raise forms.ValidationError(str(wrong)) from wrong


class CommentForm(forms.Form):
    text = forms.CharField(validators=[check_text])
    confirms = forms.BooleanField(required=False)

    def clean_text(self) -> str:
        text = lines_of(self.cleaned_data["text"])
        if len(text) > Comment.MOST:
            raise forms.ValidationError(f"This comment has {len(text):,} characters; the limit is {Comment.MOST:,}.")
        return text


def _notes(experiment: Experiment) -> str:
    """The address of templates/experiments/_notes.html. Another redirect would lose the place on the page."""
    name = "results:page" if experiment.is_over and queries.has_results(experiment) else SHOW
    return f"{reverse(name, args=[experiment.pk])}#notes"


_note = partial(button, EXPERIMENTS, _notes, "tidy")
rename = _note(care.rename, form=RenameForm)
tag = _note(care.tag, form=TagsForm)
comment = _note(care.comment, form=CommentForm)
remove_comment = button(
    Comment.objects.filter(experiment__deleted_at=None).select_related("experiment"),
    lambda comment: _notes(comment.experiment),
    "remove_comment",
    care.remove_comment,
    "The comment is deleted.",
)
_button = partial(button, EXPERIMENTS, SHOW)
mark_baseline = _button("tidy", care.mark_baseline)
unmark_baseline = _button("tidy", care.unmark_baseline)
delete = _button("tidy", care.delete, then=lambda deleted: f"{reverse('experiments:list')}?undo={deleted.pk}")
restore = button(Experiment.everything.all(), SHOW, "tidy", care.restore, "{} is restored.")
cancel = _button("run", lambda user, experiment: actions.cancel(experiment, user))
resume = _button("run", lambda user, experiment: actions.resume(experiment, user))
