"""Questions and their measurements. The database is the truth: a Celery task carries only the id of a row."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone

from dashboard.records.experiments import states
from dashboard.records.experiments.verdict_label import verdict_label
from dashboard.records.experiments.words import words_of
from dashboard.records.servers.models import Server
from workers.bench.plan import CONTROLS


class Tag(models.Model):
    """A word that people order experiments by: lower case, see dashboard.records.experiments.tags."""

    name = models.CharField(max_length=30, unique=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


KEPT_FOR = timedelta(days=30)  # a deleted experiment, until dashboard.records.experiments.care
_KEPT = models.Q(deleted_at=None)


class NotDeleted(models.Manager["Experiment"]):
    """All but the deleted. Every read goes through it, so that a deleted experiment is nowhere at once. What reads rows
    of experiments directly leaves those of `Experiment.deleted.ids()` out: they are few, and read from an index alone,
    while `experiment__deleted_at=None` would read a whole row of each."""

    def get_queryset(self) -> models.QuerySet["Experiment"]:
        return super().get_queryset().filter(_KEPT)


class OnlyDeleted(models.Manager["Experiment"]):
    def get_queryset(self) -> models.QuerySet["Experiment"]:
        return super().get_queryset().filter(deleted_at__isnull=False)

    def ids(self) -> models.QuerySet["Experiment", int]:
        return self.order_by().values_list("pk", flat=True)


class FromFiles(models.Manager["Experiment"]):
    """Those that came in a file, also the deleted: what this installation says of itself leaves them out."""

    def get_queryset(self) -> models.QuerySet["Experiment"]:
        return super().get_queryset().filter(imported_digest__isnull=False)

    def ids(self) -> models.QuerySet["Experiment", int]:
        return self.order_by().values_list("pk", flat=True)


class Experiment(models.Model):
    """A question and its plan. `plan` is workers.bench.plan.Plan as a dict; the cells follow from it."""

    State = states.ExperimentState
    kept_days = KEPT_FOR.days

    name = models.CharField(max_length=120)
    recipe = models.CharField(max_length=80, blank=True)
    recipe_size = models.CharField(max_length=20, blank=True)
    claims = models.JSONField(default=dict)  # dashboard.records.experiments.claims: fixed when it was planned
    outcomes = models.JSONField(default=dict)  # dashboard.findings.claims.outcomes: worked out once
    plan = models.JSONField()
    seed = models.PositiveBigIntegerField()
    state = models.CharField(max_length=12, choices=State, default=State.QUEUED, db_index=True)
    cancel_asked = models.BooleanField(default=False)
    error = models.TextField(blank=True)
    mend = models.TextField(blank=True)
    phase = models.CharField(max_length=200, blank=True)  # what the worker does right now, for the live page
    estimate_s = models.FloatField(default=0)
    production_confirmed = models.BooleanField(default=False)  # load on a production server is intended
    worker = models.ForeignKey("fleet.Worker", null=True, on_delete=models.SET_NULL)
    claim = models.UUIDField(null=True)  # a new one for each claim by a worker, None unless it runs: see claiming.py
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL)
    # Who started, resumed or repeated it last: it runs by their right (dashboard.records.experiments.rights).
    queued_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="queued")
    by_command_line = models.BooleanField(default=False)  # queued by nobody's account, but on the machine itself
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    baseline = models.CharField(max_length=80, blank=True)  # variant name that ratios refer to
    analysis = models.JSONField(default=dict)  # baseline variant -> dashboard.findings.analysis, made once
    finding = models.TextField(blank=True)  # the sentence on top of the result, for lists
    tags = models.ManyToManyField(Tag, blank=True, related_name="experiments")
    # Of which question it is the baseline (dashboard.records.experiments.care); unique: one each.
    baseline_of = models.CharField(max_length=64, null=True, unique=True)
    deleted_at = models.DateTimeField(null=True)  # hidden since; gone for good after dashboard.records.experiments.care
    deleted_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    imported_at = models.DateTimeField(null=True)  # it came in a file (dashboard.pages.portable): never run here
    imported_from = models.JSONField(default=dict)  # {address, version, experiment_id, exported_at, sha256}
    imported_digest = models.CharField(max_length=64, null=True, unique=True)  # of what the file says: once only

    servers: list[str]  # these five: only of rows that queries.with_progress gave
    crashes: int
    total: int
    done: int
    failed: int

    objects = NotDeleted()
    deleted = OnlyDeleted()
    imported = FromFiles()
    everything = models.Manager()

    class Meta:
        ordering = ["-created_at"]
        indexes = [  # each list is newest first, and its count is read from the index alone
            models.Index(name="experiments_newest", fields=["-created_at", "-id"], condition=_KEPT),
            models.Index(name="experiments_in_state", fields=["state", "-created_at", "-id"], condition=_KEPT),
            models.Index(name="experiments_of_recipe", fields=["recipe", "-created_at", "-id"], condition=_KEPT),
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
        """A new one can be searched for at once; what changes later is told by `note_words`."""
        adding = self._state.adding
        with transaction.atomic():
            super().save(*args, **kwargs)
            if adding:
                self.note_words()

    def note_words(self) -> None:
        text = words_of(self.name, self.recipe, self.finding, self.plan)
        Words.objects.update_or_create(experiment=self, defaults={"text": text})

    @property
    def site(self) -> str | None:
        """Its servers share one site: review and workers see to that. None: it has neither cells nor trials."""
        sites = (rows.values_list("server__site", flat=True).first() for rows in (self.cells, self.trials))
        return next(filter(None, sites), None)

    @property
    def removed_after(self) -> datetime | None:
        """Until when it can be restored; None: it is not deleted."""
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
    """What a search finds an experiment by. A table of its own: a search reads all of it, and an experiment's own row
    holds its plan and analysis, a hundred times as much."""

    experiment = models.OneToOneField(Experiment, on_delete=models.CASCADE, related_name="words", primary_key=True)
    text = models.TextField()  # dashboard.records.experiments.words


class Comment(models.Model):
    """What somebody said of an experiment: plain text with line breaks."""

    MOST = 2000

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="comments")
    at = models.DateTimeField(default=timezone.now)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    name = models.CharField(max_length=150, blank=True)  # the author's; kept when the account is gone
    text = models.TextField(max_length=MOST)

    class Meta:
        ordering = ["at", "pk"]

    def __str__(self) -> str:
        return f"the comment of {self.name or 'the system'}"


class Cell(models.Model):
    """One point of the plan, one repeat of it: a worker claims it with a conditional UPDATE."""

    State = states.CellState

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="cells")
    server = models.ForeignKey(Server, on_delete=models.PROTECT, related_name="cells")
    position = models.PositiveIntegerField()  # order of execution, interleaved by blocks
    block = models.PositiveIntegerField()
    variant = models.CharField(max_length=80)
    workload = models.CharField(max_length=80)  # the plan's label of workload and parameters
    threads = models.PositiveIntegerField()
    repeat = models.PositiveIntegerField()
    state = models.CharField(max_length=12, choices=State, default=State.WAITING)
    error = models.TextField(blank=True)
    mend = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(name="one_position_each", fields=["experiment", "position"]),
        ]
        indexes = [models.Index(name="cells_of_server", fields=["server", "experiment"])]


class Part(models.Model):
    """A share of one cell's load, put on its server by one worker while others put theirs (workers.together). Those of
    an earlier claim of the cell are gone when it is measured anew."""

    State = states.PartState

    cell = models.ForeignKey(Cell, on_delete=models.CASCADE, related_name="parts")
    attempt = models.DateTimeField()  # the mark of the cell's claim that it is a part of
    number = models.PositiveIntegerField()  # 0: the worker that runs the experiment
    threads = models.PositiveIntegerField()
    request = models.JSONField()  # workers.bench.load.LoadRequest without its target
    login = models.CharField(max_length=255, blank=True)  # of a sandbox: the file that says how to log in, on its host
    sysbench = models.CharField(max_length=20)  # the version that all parts must have
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    worker = models.ForeignKey("fleet.Worker", null=True, on_delete=models.SET_NULL)
    by = models.CharField(max_length=140, blank=True)  # that worker's name
    taken_at = models.DateTimeField(null=True)
    began_s = models.FloatField(null=True)  # from the open barrier to its first transaction, by its own clock
    trip_s = models.FloatField(null=True)  # how long an answer of the barrier took it
    load_average = models.FloatField(null=True)  # of its host, one minute, before
    result = models.JSONField(null=True)  # workers.bench.load.LoadResult
    error = models.TextField(blank=True)
    mend = models.TextField(blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(name="one_part_each", fields=["cell", "number"])]


class Trials(models.QuerySet["Trial"]):
    def of_the_plan(self) -> "Trials":
        """Without repeated trials: those were chosen by their results and would bias counts and rates. The same for
        trials in memory: `Tried.counts`."""
        return self.filter(repeats=None)

    def ended(self) -> "Trials":
        """Those with an outcome: a verdict, or the reason why there is none."""
        return self.filter(state__in=states.ENDED)

    def without_controls(self) -> "Trials":
        return self.exclude(kind__in=CONTROLS)


class TrialVerdict(models.TextChoices):
    VALID = "valid", "valid"
    INVALID = "invalid", "invalid"
    UNKNOWN = "unknown", "unknown"


class Trial(models.Model):
    """One crash of one variant and what was found after it: a worker claims it as it claims a cell."""

    State = states.CellState

    Verdict = TrialVerdict

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="trials")
    server = models.ForeignKey(Server, on_delete=models.PROTECT, related_name="trials")
    position = models.PositiveIntegerField()
    variant = models.CharField(max_length=80)
    kind = models.CharField(max_length=40)  # a key of workers.crash.kinds.CRASH_KINDS
    repeat = models.PositiveIntegerField()
    seed = models.PositiveBigIntegerField()
    repeats = models.ForeignKey("self", null=True, on_delete=models.SET_NULL)  # the trial that this one repeats
    state = models.CharField(max_length=12, choices=State, default=State.WAITING)
    error = models.TextField(blank=True)
    mend = models.TextField(blank=True)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    verdict = models.CharField(max_length=8, choices=Verdict, blank=True)
    sent = models.PositiveIntegerField(null=True)
    acknowledged = models.PositiveIntegerField(null=True)
    in_doubt = models.PositiveIntegerField(null=True)
    lost_engine = models.PositiveIntegerField(null=True)  # acknowledged transactions; null: not known
    lost_engine_ms = models.FloatField(null=True)
    lost_binlog = models.PositiveIntegerField(null=True)
    lost_binlog_ms = models.FloatField(null=True)
    lost_replica = models.PositiveIntegerField(null=True)
    recovery_s = models.FloatField(null=True)
    environment = models.ForeignKey("Environment", null=True, on_delete=models.PROTECT)

    objects = Trials.as_manager()

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(name="one_trial_position_each", fields=["experiment", "position"])]
        indexes = [models.Index(name="trials_of_server", fields=["server", "experiment"])]

    @property
    def may_be_repeated(self) -> bool:
        return self.state in states.ENDED and not self.experiment.is_imported

    @property
    def verdict_label(self) -> str:
        """The verdict as people read it; "" without one."""
        return verdict_label(self.verdict, (self.lost_engine, self.lost_binlog, self.lost_replica))


class TrialEvidence(models.Model):
    """What a trial's verdict rests on, opened rarely: workers.crash.setup_and_result.TrialResult as JSON.

    {"checks": [{key, outcome, count, says, offenders}], "steps": [{name, at_s, took_s}], "crash_at_s", "failed_at",
    "sets": {"sent", "acknowledged", "in_doubt", "engine", "binlog", "replica": counts and overlaps},
    "binlog": {end, end_at, unreadable, reused}, "replicas": [...], "gtid_before", "gtid_after", "reissued",
    "prepared_left", "tables_ok", "recovery_lines", "log_lines", "my_cnf", "notes", "digest_key"}
    """

    trial = models.OneToOneField(Trial, on_delete=models.CASCADE, related_name="evidence", primary_key=True)
    data = models.JSONField()


class Environment(models.Model):
    """Where runs were measured: host, kernel, disk, server version and all variables. Shared by its digest."""

    digest = models.CharField(max_length=64, unique=True)
    data = models.JSONField()


class Probe(models.Model):
    """A device probe: fsync latency by size on the folder that holds the data, made once per experiment and server."""

    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="probes")
    server = models.ForeignKey(Server, on_delete=models.CASCADE)
    data = models.JSONField()


class Runs(models.QuerySet["Run"]):
    def of_done_cells(self) -> "Runs":
        """Only these count in figures."""
        return self.filter(cell__state=states.CellState.DONE)


class Run(models.Model):
    """One sysbench measurement of a cell."""

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
    """What a run saw each second: one row per run, columns of equal length (a page needs all or none)."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="series", primary_key=True)
    columns = models.JSONField()  # t_s, tps, qps, writes, errors, p95_ms and a source's per-second figures


class Evidence(models.Model):
    """What a run rests on, kept word for word and opened rarely."""

    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="evidence", primary_key=True)
    command = models.JSONField()  # argv, no password
    my_cnf = models.TextField(blank=True)  # effective options of a sandbox
    output = models.TextField()  # sysbench's own
    histogram = models.JSONField()  # [[upper ms, count]]
