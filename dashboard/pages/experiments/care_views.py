"""Buttons and small forms on the page of an experiment."""

from functools import partial

from django.urls import reverse

from dashboard.pages.buttons import button
from dashboard.pages.experiments.care_forms import CommentForm, RenameForm, TagsForm
from dashboard.records.experiments import actions, care, queries
from dashboard.records.experiments.models import Comment, Experiment

EXPERIMENTS, SHOW = Experiment.objects.all(), "experiments:show"


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
