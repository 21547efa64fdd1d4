"""Acts on experiments beside measuring: name, tag, comment, mark as baseline, delete, restore.

Later experiments of the same question are compared with its baseline. A question is a recipe, or a plan by its name, on
a set of servers. Each question has one baseline: marking another moves the mark. Size, repeats and threads are no part
of the question; the compare page shows such differences.
"""

import hashlib
import json
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from dashboard.records.accounts.actor import Actor, account
from dashboard.records.accounts.roles import require
from dashboard.records.audit.models import record
from dashboard.records.experiments import queries
from dashboard.records.experiments.models import KEPT_FOR, Comment, Experiment, Tag
from dashboard.records.experiments.states import OVER
from dashboard.records.refused import Refused
from dashboard.records.servers.models import Server


def lock(experiment: Experiment) -> None:
    """Until the caller's transaction ends, no other process can name, tag, mark or delete it. Servers are locked first,
    as in `mark_baseline`, so that two experiments of one question cannot deadlock."""
    _lock_servers(experiment)
    _lock_row(experiment)


def _lock_servers(experiment: Experiment) -> None:
    list(Server.everything.select_for_update().filter(pk__in=experiment.server_ids).order_by("pk").values_list("pk"))


def _lock_row(experiment: Experiment) -> None:
    list(Experiment.objects.select_for_update().filter(pk=experiment.pk).values_list("pk"))


@transaction.atomic
def rename(user: Actor, experiment: Experiment, name: str) -> None:
    """The plan keeps its first name."""
    require(user, "tidy")
    before, experiment.name = experiment.name, name
    if before != name:
        experiment.save(update_fields=["name"])
        experiment.note_words()
        record(user, "renamed", experiment, before=before)


@transaction.atomic
def tag(user: Actor, experiment: Experiment, names: list[str]) -> None:
    """Set exactly these tags. `names`: as `tags.normalised` returns them."""
    require(user, "tidy")
    _lock_row(experiment)  # its tags are rows of their own
    before = [one.name for one in experiment.tags.all()]
    if before != names:
        experiment.tags.set([Tag.objects.get_or_create(name=name)[0] for name in names])
        record(user, "tagged", experiment, tags=names, before=before)


@transaction.atomic
def comment(user: Actor, experiment: Experiment, text: str, confirms: bool = False) -> Comment:
    """`confirms`: the author stands for the result. Raises Refused before the experiment has ended."""
    require(user, "tidy")
    if confirms and not experiment.is_over:
        raise Refused("Nothing was stored: a result can be confirmed when its experiment has ended.")
    known = account(user)
    name = known.get_username() if known else ""
    made = Comment.objects.create(experiment=experiment, author=known, name=name, text=text, confirms=confirms)
    record(user, "confirmed" if confirms else "commented on", experiment, comment=made.pk)
    return made


@transaction.atomic
def remove_comment(user: Actor, gone: Comment) -> None:
    """A person may delete an own comment, an administrator any comment."""
    require(user, "remove_comment", gone)
    record(user, "deleted comment", gone.experiment, comment=gone.pk, of=gone.name)
    gone.delete()


def question_of(experiment: Experiment) -> str:
    """A digest. It uses the name of the plan, which stays when the experiment is renamed."""
    plan = experiment.outline
    asked = ["recipe", experiment.recipe] if experiment.recipe else ["plan", plan.name]
    servers = sorted({target.server_id for target in plan.targets})
    return hashlib.sha256(json.dumps([asked, servers]).encode()).hexdigest()


def baseline_for(experiment: Experiment) -> Experiment | None:
    """The experiment that this one is compared with; itself if it is the baseline."""
    return Experiment.objects.filter(baseline_of=question_of(experiment)).first()


@transaction.atomic
def mark_baseline(user: Actor, experiment: Experiment) -> None:
    """Another experiment of the same question loses the mark. If two people mark at once, the last one wins. Raises
    Refused."""
    require(user, "tidy")
    if not experiment.is_over or not queries.has_results(experiment):
        raise Refused(
            f"{experiment} was not marked as baseline: it was not measured to its end. Choose a finished experiment."
        )
    question = question_of(experiment)
    _lock_servers(experiment)
    others = Experiment.everything.filter(baseline_of=question).exclude(pk=experiment.pk)
    before = list(others.values_list("pk", flat=True))
    others.update(baseline_of=None)
    if Experiment.objects.filter(pk=experiment.pk, baseline_of=None).update(baseline_of=question):
        record(user, "marked as baseline", experiment, instead_of=before)


@transaction.atomic
def unmark_baseline(user: Actor, experiment: Experiment) -> None:
    require(user, "tidy")
    if Experiment.objects.filter(pk=experiment.pk).exclude(baseline_of=None).update(baseline_of=None):
        record(user, "unmarked as baseline", experiment)


@transaction.atomic
def delete(user: Actor, experiment: Experiment) -> None:
    """Hide it everywhere at once; `remove_one` deletes its rows later. Raises Refused while it waits or runs."""
    require(user, "tidy")
    over = Experiment.objects.filter(pk=experiment.pk).filter(state__in=OVER)
    if over.update(deleted_at=timezone.now(), deleted_by=account(user)):
        record(user, "deleted", experiment, id=experiment.pk)
    elif Experiment.objects.filter(pk=experiment.pk).exists():
        raise Refused(f"{experiment} was not deleted: it waits or runs. Stop it first.")


@transaction.atomic
def restore(user: Actor, experiment: Experiment) -> None:
    """Restored with its share links, tags, comments and history."""
    require(user, "tidy")
    if Experiment.deleted.filter(pk=experiment.pk).update(deleted_at=None, deleted_by=None):
        record(user, "restored", experiment, id=experiment.pk)


def remove_one(now: datetime) -> str:
    """Delete the rows of the experiment that was deleted first, if 30 days have passed. Returns its name, "" if none is
    due. Housekeeping calls this.

    One experiment at a time keeps the transaction short. An experiment with a pending restore stays until the restore
    is done. Environments stay, because other experiments share them. A night stays and says that its experiment was
    deleted.
    """
    unrestored = Experiment.everything.filter(pending_restores__restored_at=None, pending_restores__isnull=False)
    due = Experiment.deleted.filter(deleted_at__lt=now - KEPT_FOR).exclude(pk__in=unrestored.values("pk"))
    with transaction.atomic():
        gone = due.select_for_update().order_by("deleted_at", "pk").first()
        if gone is None:
            return ""
        record(None, "removed", gone, id=gone.pk, deleted_at=str(gone.deleted_at))
        servers = gone.server_ids if gone.is_imported else []
        gone.delete()
        Server.everything.filter(pk__in=servers, kind=Server.Kind.IMPORTED).delete()  # they came with the file
    return gone.name
