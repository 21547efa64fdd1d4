"""Experiments, cells, trials and their results. The database is the truth: a Celery task carries only the id of a
row."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone

from dashboard.installation.stored import read
from dashboard.records.experiments import states
from dashboard.records.experiments.environment import EnvironmentFacts
from dashboard.records.experiments.trial_evidence import StoredEvidence
from dashboard.records.experiments.verdict_label import replica_stopped, verdict_label
from dashboard.records.experiments.words import words_of
from dashboard.records.plan_outline import PlanOutline
from dashboard.records.servers.models import Server
from workers.bench.load import LoadResult
from workers.bench.merge import PartLoad
from workers.bench.plan import CONTROLS, Plan
from workers.servers.printable import storable


class Tag(models.Model):
    """A word in lower case by which people order experiments (dashboard.records.experiments.tags)."""

    name = models.CharField(max_length=30, unique=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


WORDS = 37  # raise it when dashboard.findings.conclusion stores other words: then it stores them again
KEPT_FOR = timedelta(days=30)  # then dashboard.records.experiments.care removes a deleted experiment
_KEPT = models.Q(deleted_at=None)


class Experiments(models.Manager["Experiment"]):
    """The experiments that meet a condition; without one, those that are not deleted.

    A query on rows of experiments excludes `Experiment.deleted.ids()`: these are few and are read from an index alone.
    The condition `experiment__deleted_at=None` would read a whole row of each experiment."""

    def __init__(self, condition: models.Q = _KEPT) -> None:
        super().__init__()
        self._condition = condition

    def get_queryset(self) -> models.QuerySet["Experiment"]:
        return super().get_queryset().filter(self._condition)

    def ids(self) -> models.QuerySet["Experiment", int]:
        return self.order_by().values_list("pk", flat=True)


class Experiment(models.Model):
    """A question and its plan. `plan` is workers.bench.plan.Plan as a dict; the cells follow from it."""

    State = states.ExperimentState
    kept_days = KEPT_FOR.days

    name = models.CharField(max_length=120)
    recipe = models.CharField(max_length=80, blank=True)
    recipe_size = models.CharField(max_length=20, blank=True)
    claims = models.JSONField(default=dict)  # StoredClaims, read by `claims_of`
    outcomes = models.JSONField(default=dict)  # dashboard.findings.claims.outcomes, computed once
    plan = models.JSONField()
    seed = models.PositiveBigIntegerField()
    state = models.CharField(max_length=12, choices=State, default=State.QUEUED, db_index=True)
    cancel_asked = models.BooleanField(default=False)
    error = models.TextField(blank=True)
    fix = models.TextField(blank=True)
    activity = models.CharField(max_length=200, blank=True)  # the present step of its worker, or why it is queued
    estimate_s = models.FloatField(default=0)
    production_confirmed = models.BooleanField(default=False)  # load on a production server is intended
    worker = models.ForeignKey("fleet.Worker", null=True, on_delete=models.SET_NULL)
    claim = models.UUIDField(null=True)  # new for each claim, None unless it runs: see claiming.py
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    # The person who queued it last. It runs with their rights (dashboard.records.experiments.rights).
    queued_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="queued")
    by_command_line = models.BooleanField(default=False)  # queued on the machine itself, without an account
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    baseline = models.CharField(max_length=80, blank=True)  # variant name that ratios refer to
    analysis = models.JSONField(default=dict)  # baseline variant -> dashboard.findings.analysis
    finding = models.TextField(blank=True)  # the headline of the result, for lists
    level = models.CharField(max_length=8, blank=True)  # were service levels met at its end: met, unclear, missed
    written = models.JSONField(default=list)  # sentences of dashboard.findings.written, computed at its end
    finding_words = models.PositiveSmallIntegerField(default=0)  # the WORDS of what is stored of its end
    tags = models.ManyToManyField(Tag, blank=True, related_name="experiments")
    # The question whose baseline it is (dashboard.records.experiments.care); unique.
    baseline_of = models.CharField(max_length=64, null=True, unique=True)
    deleted_at = models.DateTimeField(null=True)  # hidden since; removed after KEPT_FOR
    deleted_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    imported_at = models.DateTimeField(null=True)  # it came in a file (dashboard.portable) and never runs here
    imported_from = models.JSONField(default=dict)  # {address, version, experiment_id, exported_at, sha256}
    imported_digest = models.CharField(max_length=64, null=True, unique=True)  # a file is imported once

    samples_thinned_at = models.DateTimeField(null=True)  # dashboard.records.retention.thin_out
    evidence_thinned_at = models.DateTimeField(null=True)

    servers: list[str]  # these five: set by queries.with_progress only
    crashes: int
    total: int
    done: int
    failed: int

    objects = Experiments()
    deleted = Experiments(models.Q(deleted_at__isnull=False))
    imported = Experiments(models.Q(imported_digest__isnull=False))  # from a file; deleted ones too
    everything = models.Manager()

    class Meta:
        ordering = ["-created_at"]
        indexes = [  # each list is newest first, and its count is read from the index alone
            models.Index(name="experiments_newest", fields=["-created_at", "-id"], condition=_KEPT),
            models.Index(name="experiments_in_state", fields=["state", "-created_at", "-id"], condition=_KEPT),
            models.Index(name="experiments_of_recipe", fields=["recipe", "-created_at", "-id"], condition=_KEPT),
            models.Index(name="experiments_in_words", fields=["finding_words", "-id"], condition=_KEPT),
            models.Index(
                name="experiments_deleted", fields=["-deleted_at", "-id"], condition=models.Q(deleted_at__isnull=False)
            ),
        ]
        constraints = [
            models.CheckConstraint(
                name="imported_is_over",
                condition=models.Q(imported_at=None) | ~models.Q(state__in=states.UNDER_WAY),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def save(self, *args: Any, **kwargs: Any) -> None:
        """A new experiment can be found by a search at once. After later changes call `note_words`."""
        adding = self._state.adding
        with transaction.atomic():
            super().save(*args, **kwargs)
            if adding:
                self.note_words()

    def note_words(self) -> None:
        text = words_of(self.name, self.recipe, self.finding, self.outline)
        Words.objects.update_or_create(experiment=self, defaults={"text": text})

    @property
    def site(self) -> str | None:
        """The site of its servers; review and workers make sure that it is one. None: it has neither cells nor
        trials."""
        sites = (rows.values_list("server__site", flat=True).first() for rows in (self.cells, self.trials))
        return next(filter(None, sites), None)

    def as_plan(self) -> Plan:
        """Raises PlanError if another version stored it and it cannot be read."""
        return Plan.from_dict(self.plan)

    @property
    def outline(self) -> PlanOutline:
        return read(PlanOutline, self.plan)

    @property
    def server_ids(self) -> list[int]:
        return [target.server_id for target in self.outline.targets]

    @property
    def removed_after(self) -> datetime | None:
        """The time until which it can be restored; None: it is not deleted."""
        return self.deleted_at + KEPT_FOR if self.deleted_at else None

    @property
    def is_baseline(self) -> bool:
        return self.baseline_of is not None

    @property
    def is_over(self) -> bool:
        return self.state in states.OVER

    @property
    def is_imported(self) -> bool:
        return self.imported_at is not None

    @property
    def may_be_resumed(self) -> bool:
        return self.is_over and not self.is_imported


class Words(models.Model):
    """The text in which a search looks for an experiment. A separate table, because a search reads all texts, and the
    row of an experiment is a hundred times larger."""

    experiment = models.OneToOneField(Experiment, on_delete=models.CASCADE, related_name="words", primary_key=True)
    text = models.TextField()  # dashboard.records.experiments.words


class Comment(models.Model):
    MOST = 2000

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="comments")
    at = models.DateTimeField(default=timezone.now)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(max_length=150, blank=True)  # the author's; kept when the account is gone
    text = models.TextField(max_length=MOST)
    confirms = models.BooleanField(default=False)  # its author stands for the result

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"the comment of {self.name or 'the system'}"


class PlannedRow(models.Model):
    """A cell or a trial. A worker claims it with a conditional UPDATE."""

    State = states.CellState

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="%(class)ss")
    server = models.ForeignKey(Server, on_delete=models.PROTECT, related_name="%(class)ss")
    position = models.PositiveIntegerField()  # order of execution, interleaved by blocks
    variant = models.CharField(max_length=80)
    repeat = models.PositiveIntegerField()
    state = models.CharField(max_length=12, choices=State, default=State.WAITING)
    error = models.TextField(blank=True)
    fix = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True
        ordering = ["position"]


class Cell(PlannedRow):
    """One repeat of one point of the plan."""

    block = models.PositiveIntegerField()
    workload = models.CharField(max_length=80)  # the plan's label of workload and parameters
    threads = models.PositiveIntegerField()

    class Meta(PlannedRow.Meta):
        constraints = [models.UniqueConstraint(name="one_position_each", fields=["experiment", "position"])]
        indexes = [models.Index(name="cells_of_server", fields=["server", "experiment"])]


class Part(models.Model):
    """The part of one cell's load that one worker makes (workers.together). Parts of an earlier claim are deleted when
    the cell is measured again."""

    State = states.PartState

    cell = models.ForeignKey(Cell, on_delete=models.CASCADE, related_name="parts")
    attempt = models.DateTimeField()  # identifies the claim of the cell
    number = models.PositiveIntegerField()  # 0: the worker that runs the experiment
    threads = models.PositiveIntegerField()
    request = models.JSONField()  # workers.bench.load.LoadRequest without its target
    login = models.CharField(max_length=255, blank=True)  # of a sandbox: the option file with the login, on its host
    sysbench = models.CharField(max_length=20)  # the version that all parts must have
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    worker = models.ForeignKey("fleet.Worker", null=True, on_delete=models.SET_NULL)
    by = models.CharField(max_length=140, blank=True)  # that worker's name
    taken_at = models.DateTimeField(null=True)
    began_s = models.FloatField(null=True)  # from the open barrier to its first transaction, by its own clock
    trip_s = models.FloatField(null=True)  # at most so late it learned that the barrier was open
    load_average = models.FloatField(null=True)  # of its host, one minute, before
    result = models.JSONField(null=True)  # LoadResult, read by `load`
    error = models.TextField(blank=True)
    fix = models.TextField(blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(name="one_part_each", fields=["cell", "number"])]

    @property
    def load(self) -> PartLoad:
        """Of a part that is done."""
        return PartLoad(self.by, self.began_s or 0.0, self.trip_s or 0.0, read(LoadResult, self.result))


class Trials(models.QuerySet["Trial"]):
    def of_the_plan(self) -> "Trials":
        """Without repeated trials: a person chose them by their results, so they would bias counts and rates. The same
        for trials in memory: `Tried.counts`."""
        return self.filter(repeat_of=None)

    def ended(self) -> "Trials":
        """Trials with a verdict, or with the reason why there is none."""
        return self.filter(state__in=states.ENDED)

    def without_controls(self) -> "Trials":
        return self.exclude(kind__in=CONTROLS)


class TrialVerdict(models.TextChoices):
    VALID = "valid", "valid"
    INVALID = "invalid", "invalid"
    UNKNOWN = "unknown", "unknown"


DECIDED = (TrialVerdict.VALID, TrialVerdict.INVALID)  # the others say nothing about the setting


class Trial(PlannedRow):
    """One crash of one variant, and its result."""

    Verdict = TrialVerdict

    kind = models.CharField(max_length=60)  # a key of workers.bench.trial_kinds.TRIAL_KINDS
    seed = models.PositiveBigIntegerField()
    repeat_of = models.ForeignKey("self", null=True, on_delete=models.SET_NULL)
    verdict = models.CharField(max_length=8, choices=Verdict, blank=True)
    sent = models.PositiveIntegerField(null=True)
    acknowledged = models.PositiveIntegerField(null=True)
    in_doubt = models.PositiveIntegerField(null=True)
    lost_engine = models.PositiveIntegerField(null=True)  # acknowledged transactions; null: not known
    lost_engine_ms = models.FloatField(null=True)
    lost_binlog = models.PositiveIntegerField(null=True)
    lost_binlog_ms = models.FloatField(null=True)
    lost_replica = models.PositiveIntegerField(null=True)
    phantoms = models.PositiveIntegerField(null=True)  # commits that clients read and that a failover then lost
    recovery_s = models.FloatField(null=True)
    environment = models.ForeignKey("Environment", null=True, on_delete=models.PROTECT)

    objects = Trials.as_manager()

    class Meta(PlannedRow.Meta):
        constraints = [models.UniqueConstraint(name="one_trial_position_each", fields=["experiment", "position"])]
        indexes = [models.Index(name="trials_of_server", fields=["server", "experiment"])]

    @property
    def may_be_repeated(self) -> bool:
        return self.state in states.ENDED and not self.experiment.is_imported

    @property
    def verdict_label(self) -> str:
        """The verdict in words; "" without a verdict."""
        lost = (self.lost_engine, self.lost_binlog, self.lost_replica)
        return verdict_label(self.verdict, lost, self.phantoms, stopped=self.replica_stopped)

    @property
    def replica_stopped(self) -> bool:
        return replica_stopped(self.kind, self.verdict, self.lost_replica)


class TriedSettings(models.Model):
    """Settings under which an ended experiment was crashed, so that those of a server are found without reading plans.
    `key`: dashboard.findings.crash.durability.key_of."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="tried_settings")
    kind = models.CharField(max_length=60)
    key = models.CharField(max_length=64)

    class Meta:
        indexes = [models.Index(name="tried_settings_newest", fields=["key", "kind", "-experiment"])]
        constraints = [models.UniqueConstraint(name="tried_settings_once", fields=["experiment", "kind", "key"])]


class TrialEvidence(models.Model):
    """The evidence of a verdict, read rarely: StoredEvidence as JSON, and texts that only files and the API have."""

    trial = models.OneToOneField(Trial, on_delete=models.CASCADE, related_name="evidence", primary_key=True)
    data = models.JSONField()

    @property
    def known(self) -> StoredEvidence:
        return read(StoredEvidence, self.data)


class KeptCrashPoint(models.Model):
    """A violation of a recorded load, with its disk: an archive of workers.crash.points.export. `number`: that of
    workers.crash.points.story.KeptPoint; RECORDING: the recording of the load."""

    trial = models.ForeignKey(Trial, on_delete=models.CASCADE, related_name="crash_points")
    number = models.PositiveSmallIntegerField()
    archive = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(name="one_crash_point_each", fields=["trial", "number"])]


class Environment(models.Model):
    """Where runs were measured: host, kernel, disk, server version and all variables. Equal environments share one
    row."""

    digest = models.CharField(max_length=64, unique=True)
    data = models.JSONField()

    @property
    def known(self) -> EnvironmentFacts:
        return read(EnvironmentFacts, storable(self.data))


class Probe(models.Model):
    """A device probe: fsync latency by size on the folder of the data, made once for each experiment and server."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="probes")
    server = models.ForeignKey(Server, on_delete=models.CASCADE)
    data = models.JSONField()


class Runs(models.QuerySet["Run"]):
    def of_done_cells(self) -> "Runs":
        """Only these runs count in figures."""
        return self.filter(cell__state=states.CellState.DONE)


class Run(models.Model):
    cell = models.OneToOneField(Cell, on_delete=models.CASCADE, related_name="run")
    started_at = models.DateTimeField()
    elapsed_s = models.FloatField()
    transactions = models.PositiveBigIntegerField()
    errors = models.PositiveIntegerField(default=0)
    tps = models.FloatField()  # transactions / elapsed_s
    latency_ms = models.JSONField()  # p50 p95 p99 p99.9 avg max
    figures = models.JSONField()  # [{name, value, source, note}], best source first
    latencies = models.JSONField(default=list)  # fsync latency, workers.metrics.source.FsyncLatency as dicts
    environment = models.ForeignKey(Environment, on_delete=models.PROTECT)
    probe = models.ForeignKey(Probe, null=True, on_delete=models.SET_NULL)
    load_average = models.FloatField(null=True)  # one minute, at the start
    effective = models.JSONField(default=dict)  # the variant's settings as the server reports them

    objects = Runs.as_manager()


class Series(models.Model):
    """The seconds of a run: one row, columns of equal length, because a page reads all of them or none."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="series", primary_key=True)
    columns = models.JSONField()  # t_s, tps, qps, writes, errors, p95_ms and a source's per-second figures


class RunEvidence(models.Model):
    """The raw output of a run, stored word for word and read rarely."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="evidence", primary_key=True)
    command = models.JSONField()  # argv, no password
    my_cnf = models.TextField(blank=True)  # effective options of a sandbox
    output = models.TextField()  # sysbench's own
    histogram = models.JSONField()  # [[upper ms, count]]
