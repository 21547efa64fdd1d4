"""What is asked with a button or a small form on an experiment's page; each answers with the page again."""

from collections.abc import Callable

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from dashboard.pages.accounts.gate import needs
from dashboard.pages.experiments.care_forms import CommentForm, RenameForm, TagsForm, what_is_wrong
from dashboard.records.experiments import care, queries
from dashboard.records.experiments.models import Comment, Experiment
from dashboard.records.refused import Refused

NOTES = "#notes"  # of templates/experiments/_notes.html


def _typed(form_class: type[Form], field: str, action: Callable[..., object]) -> Callable[..., HttpResponse]:
    """A view that does what a form of one field asks, or says what is wrong with it."""

    @needs("tidy")
    @require_POST
    def typed(request: HttpRequest, pk: int) -> HttpResponse:
        experiment, form = get_object_or_404(Experiment, pk=pk), form_class(request.POST)
        if form.is_valid():
            action(request.user, experiment, form.cleaned_data[field])
        else:
            messages.error(request, what_is_wrong(form))
        return _back(pk)

    return typed


rename = _typed(RenameForm, "name", care.rename)
tag = _typed(TagsForm, "tags", care.tag)
comment = _typed(CommentForm, "text", care.comment)


@needs("remove_comment")
@require_POST
def remove_comment(request: HttpRequest, comment_id: int) -> HttpResponse:
    kept = Comment.objects.filter(experiment__deleted_at=None).select_related("experiment")
    gone = get_object_or_404(kept, pk=comment_id)
    care.remove_comment(request.user, gone)
    messages.success(request, "The comment is deleted.")
    return _back(gone.experiment_id)


@needs("tidy")
@require_POST
def mark_baseline(request: HttpRequest, pk: int) -> HttpResponse:
    experiment = get_object_or_404(Experiment, pk=pk)
    try:
        care.mark_baseline(request.user, experiment)
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("experiments:show", pk)


@needs("tidy")
@require_POST
def unmark_baseline(request: HttpRequest, pk: int) -> HttpResponse:
    care.unmark_baseline(request.user, get_object_or_404(Experiment, pk=pk))
    return redirect("experiments:show", pk)


@needs("tidy")
@require_POST
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Answers with the list, which offers to undo it."""
    experiment = get_object_or_404(Experiment, pk=pk)
    try:
        care.delete(request.user, experiment)
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("experiments:show", pk)
    return redirect(f"{reverse('experiments:list')}?undo={pk}")


@needs("tidy")
@require_POST
def restore(request: HttpRequest, pk: int) -> HttpResponse:
    """One that is there already is shown."""
    experiment = get_object_or_404(Experiment.everything, pk=pk)
    care.restore(request.user, experiment)
    messages.success(request, f"{experiment} is restored.")
    return redirect("experiments:show", pk)


def _back(pk: int) -> HttpResponse:
    """Straight to the page that there is: another redirect would lose the place on it."""
    experiment = Experiment.objects.get(pk=pk)
    name = "results:page" if experiment.is_over and queries.has_results(experiment) else "experiments:show"
    return redirect(reverse(name, args=[pk]) + NOTES)
