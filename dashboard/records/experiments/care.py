"""What people do to keep experiments in order: name, tag, comment on, mark as baseline, delete and restore them.

Later experiments of the same question are compared with its baseline. A question is a recipe, or a plan by its name, on
a set of servers. Each question has one baseline: marking another takes the mark from the first. Size, repeats and
threads do not count: a longer measurement asks the same, and the compare page shows the difference.
"""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from dashboard.records.accounts.actor import Actor, account
from dashboard.records.accounts.roles import require
from dashboard.records.audit.models import record
from dashboard.records.experiments import queries, tags
from dashboard.records.experiments.models import KEPT_FOR, Comment, Experiment
from dashboard.records.experiments.states import OVER
from dashboard.records.refused import Refused
from dashboard.records.servers.models import Server
from workers.bench.recipes import ALIASES


def lock(experiment: Experiment) -> None:
    """Until the caller's transaction ends nobody else names, tags, marks or deletes it. Servers come first, as where a
    baseline is marked: two of the same question would wait for each other otherwise."""
    _lock_servers(experiment)
    _lock_row(experiment)


def _lock_servers(experiment: Experiment) -> None:
    servers = [target["server_id"] for target in experiment.plan["targets"]]  # those of a question: its lock
    list(Server.everything.select_for_update().filter(pk__in=servers).order_by("pk").values_list("pk"))


def _lock_row(experiment: Experiment) -> None:
    list(Experiment.objects.select_for_update().filter(pk=experiment.pk).values_list("pk"))


@transaction.atomic
def rename(user: Actor, experiment: Experiment, name: str) -> None:
    """Its plan keeps the name that it was started with."""
    require(user, "tidy")
    before, experiment.name = experiment.name, name
    if before != name:
        experiment.save(update_fields=["name"])
        experiment.note_words()
        record(user, "renamed", experiment, before=before)


@transaction.atomic
def tag(user: Actor, experiment: Experiment, names: list[str]) -> None:
    """Exactly these. `names`: as `tags.normalised` gives them."""
    require(user, "tidy")
    _lock_row(experiment)  # its tags are rows of their own
    before = [one.name for one in experiment.tags.all()]
    if before != names:
        experiment.tags.set(tags.rows(names))
        record(user, "tagged", experiment, tags=names, before=before)


@transaction.atomic
def comment(user: Actor, experiment: Experiment, text: str) -> Comment:
    require(user, "tidy")
    known = account(user)
    name = known.get_username() if known else ""
    made = Comment.objects.create(experiment=experiment, author=known, name=name, text=text)
    record(user, "commented on", experiment, comment=made.pk)
    return made


@transaction.atomic
def remove_comment(user: Actor, gone: Comment) -> None:
    """One's own, or as an administrator anybody's."""
    require(user, "remove_comment", gone)
    record(user, "deleted comment", gone.experiment, comment=gone.pk, of=gone.name)
    gone.delete()


def question_of(recipe: str, plan: Mapping[str, Any]) -> str:
    """A digest. A plan keeps the name that it was started with, whatever its experiment is called later."""
    asked = ["recipe", ALIASES.get(recipe, recipe)] if recipe else ["plan", plan["name"]]
    servers = sorted({target["server_id"] for target in plan["targets"]})
    return hashlib.sha256(json.dumps([asked, servers]).encode()).hexdigest()


def baseline_for(experiment: Experiment) -> Experiment | None:
    """What this one is compared with; itself where it is the baseline."""
    return Experiment.objects.filter(baseline_of=question_of(experiment.recipe, experiment.plan)).first()


def mark_baseline(user: Actor, experiment: Experiment) -> None:
    """What had the mark for the same question loses it. Of two who mark at the same moment the last one's stands.
    Raises Refused."""
    require(user, "tidy")
    if not experiment.is_over or not queries.has_results(experiment):
        raise Refused(
            f"{experiment} was not marked as baseline: it was not measured to its end. Choose a finished experiment."
        )
    _mark(user, experiment)


@transaction.atomic
def _mark(user: Actor, experiment: Experiment) -> None:
    question = question_of(experiment.recipe, experiment.plan)
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
    """Hide it everywhere, at once; `remove_one` makes it final later. Raises Refused while it waits or runs."""
    require(user, "tidy")
    over = Experiment.objects.filter(pk=experiment.pk).filter(state__in=OVER)
    if over.update(deleted_at=timezone.now(), deleted_by=account(user)):
        record(user, "deleted", experiment, id=experiment.pk)
    elif Experiment.objects.filter(pk=experiment.pk).exists():
        raise Refused(f"{experiment} was not deleted: it waits or runs. Stop it first.")


@transaction.atomic
def restore(user: Actor, experiment: Experiment) -> None:
    """As it was, with its share links, tags, comments and history."""
    require(user, "tidy")
    if Experiment.deleted.filter(pk=experiment.pk).update(deleted_at=None, deleted_by=None):
        record(user, "restored", experiment, id=experiment.pk)


def remove_one(now: datetime) -> str:
    """Remove for good what was deleted long ago: housekeeping calls it. The experiment that waits longest goes, with
    everything measured in it; returns its name, "" when none is due.

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
        servers = [target["server_id"] for target in gone.plan["targets"]] if gone.is_imported else []
        gone.delete()
        Server.everything.filter(pk__in=servers, kind=Server.Kind.IMPORTED).delete()  # the file brought them along
    return gone.name
