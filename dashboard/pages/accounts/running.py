"""Experiments and schedules that run with a person's rights. Their page offers to end them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User

from dashboard.records.accounts.actor import Actor
from dashboard.records.accounts.roles import allowed, require
from dashboard.records.experiments import actions as experiments
from dashboard.records.experiments.models import Experiment
from dashboard.records.experiments.states import UNDER_WAY
from dashboard.records.schedules import actions as schedules
from dashboard.records.schedules.models import Schedule


@dataclass(frozen=True)
class Running:
    """`lost`: the person may not run experiments any more."""

    experiments: Sequence[Experiment]
    schedules: Sequence[Schedule]
    lost: bool

    def __bool__(self) -> bool:
        return bool(self.experiments or self.schedules)

    @property
    def says(self) -> str:
        counted = ((self.experiments, "experiment"), (self.schedules, "schedule"))
        return " and ".join(f"{len(found)} {name}{'s' * (len(found) != 1)}" for found, name in counted if found)


def running(user: User) -> Running:
    """Without experiments that are over or being cancelled, and without paused schedules."""
    queued = Experiment.objects.filter(queued_by=user, state__in=UNDER_WAY, cancel_asked=False)
    return Running(
        list(queued.defer("plan", "analysis")),
        list(Schedule.objects.filter(runs_as=user, paused_at=None)),
        not allowed(user, "run"),
    )


def end(by: Actor, user: User) -> Running:
    """Cancel the experiments and pause the schedules; returns them."""
    require(by, "administer")
    found = running(user)
    for experiment in found.experiments:
        experiments.cancel(experiment, by)
    for schedule in found.schedules:
        schedules.pause(by, schedule)
    return found
