"""Schedules, their due times, and the outcome of each time. `nights.py` writes the nights."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from dashboard.installation.stored import read
from dashboard.records.plan_outline import PlanOutline
from workers.bench import newer_plan
from workers.bench.plan import Plan


class Schedule(models.Model):
    """A plan, fixed when the schedule was made, and its due times. Its nights run with the rights of `runs_as`, the
    person who made or last changed it."""

    name = models.CharField(max_length=80, unique=True)
    plan = models.JSONField()  # workers.bench.plan.Plan as a dict; each night draws a seed of its own
    recipe = models.CharField(max_length=80, blank=True)  # the origin of the plan and of its claims
    recipe_size = models.CharField(max_length=20, blank=True)
    cron = models.CharField(max_length=120)
    zone = models.CharField(max_length=60)
    ends_by = models.TimeField(null=True)  # as clocks in `zone` show it; null: no window
    runs_as = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="schedules")
    # Who confirmed load on the plan's production servers for every night:
    confirmed_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    confirmed_at = models.DateTimeField(null=True)
    confirmed_servers = models.JSONField(default=list)  # ids of the production servers at that time
    paused_at = models.DateTimeField(null=True)
    looked_at = models.DateTimeField(default=timezone.now)  # every due time before has its night, or was paused
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def as_plan(self) -> Plan:
        """Raises NewerPlan if a newer version stored it, PlanError if it is no plan."""
        return newer_plan.with_known_fields(self.plan)

    @property
    def server_ids(self) -> list[int]:
        return [target.server_id for target in read(PlanOutline, self.plan).targets]

    @property
    def server_names(self) -> list[str]:
        return [target.name for target in read(PlanOutline, self.plan).targets]


class NightState(models.TextChoices):
    STARTED = "started", "started"  # its experiment has the outcome
    SKIPPED = "skipped", "skipped"  # the server was busy or unreachable
    REFUSED = "refused", "refused"  # it does not fit the window, or the plan cannot run
    MISSED = "missed", "missed"  # no process was running to start it


class Night(models.Model):
    """The outcome of one due time. If two processes start the same night, the second finds its row."""

    State = NightState

    schedule = models.ForeignKey(Schedule, on_delete=models.CASCADE, related_name="nights")
    due_at = models.DateTimeField()
    state = models.CharField(max_length=8, choices=State)
    reason = models.TextField(blank=True)
    experiment = models.OneToOneField(
        "experiments.Experiment", null=True, on_delete=models.SET_NULL, related_name="night"
    )
    asked_by = models.ForeignKey(  # *Run now*; null: the schedule itself
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    must_end_at = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)  # its end was noticed, and notifications were queued

    class Meta:
        ordering = ["-due_at"]
        constraints = [models.UniqueConstraint(name="one_night_each_time", fields=["schedule", "due_at"])]
        indexes = [models.Index(name="night_open", fields=["closed_at"], condition=models.Q(closed_at=None))]

    def __str__(self) -> str:
        return f"{self.schedule} {self.due_at:%Y-%m-%d %H:%M} UTC"

    @property
    def shown(self) -> tuple[str, str]:
        """(badge, word): those of its experiment, if it has one."""
        if self.experiment:
            return self.experiment.state, self.experiment.get_state_display()
        return BADGES[self.state]

    @property
    def took_s(self) -> float | None:
        """From its first start to its end; None: not known."""
        one = self.experiment
        if one is None or one.started_at is None or one.ended_at is None:
            return None
        return (one.ended_at - one.started_at).total_seconds()


# The experiment of a started night without one was deleted.
BADGES: dict[str, tuple[str, str]] = {
    Night.State.STARTED: ("cancelled", "deleted"),
    Night.State.SKIPPED: ("interrupted", "skipped"),
    Night.State.REFUSED: ("failed", "refused"),
    Night.State.MISSED: ("dead", "missed"),
}
