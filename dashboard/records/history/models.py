"""Repeated measurements, and when their figures changed. `dashboard.history.update` writes all rows, from ended
experiments."""

from urllib.parse import urlencode

from django.db import models
from django.db.models import Q
from django.urls import reverse

from dashboard.records.experiments.models import Environment, Experiment
from dashboard.records.servers.models import Server


class TrackKind(models.TextChoices):
    LOAD = "load", "load"
    CRASH = "crash", "crashes"
    FAILOVER = "failover", "failovers"


class Track(models.Model):
    """One variant on one server under one condition. `track_keys.py` decides which measurements belong to one track."""

    Kind = TrackKind

    server = models.ForeignKey(Server, on_delete=models.CASCADE, related_name="tracks")
    kind = models.CharField(max_length=8, choices=Kind)
    condition = models.CharField(max_length=16)  # digest of the workload, threads and length, or of the crash or fault
    says = models.CharField(max_length=200)  # the condition in words
    variant = models.CharField(max_length=80)
    settings = models.CharField(max_length=16)  # digest of the variant's settings
    means = models.TextField(blank=True)  # the settings in words
    counts = models.CharField(max_length=20, default="commits")  # what throughput counts
    unlooked = models.BooleanField(default=True)  # has entries that were not searched for changes
    watched_since = models.DateTimeField(null=True)  # earlier changes are not reported

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(name="one_track_each", fields=["server", "condition", "variant", "settings"])
        ]
        indexes = [models.Index(name="track_unlooked", fields=["unlooked"], condition=Q(unlooked=True))]

    def __str__(self) -> str:
        return f"{self.variant} on {self.server}, {self.says}"

    def get_absolute_url(self) -> str:
        return f"{reverse('history:server', args=[self.server_id])}?{urlencode({self.kind: self.condition})}"


class Entry(models.Model):
    """The figures of one experiment on a track. A chart reads entries only, so no page adds up runs."""

    track = models.ForeignKey(Track, on_delete=models.CASCADE, related_name="entries")
    experiment = models.ForeignKey(Experiment, on_delete=models.CASCADE, related_name="entries")
    at = models.DateTimeField()
    environment = models.ForeignKey(Environment, null=True, on_delete=models.PROTECT)
    repeats = models.PositiveIntegerField()  # runs, or trials
    tps = models.FloatField(null=True)
    tps_lo = models.FloatField(null=True)
    tps_hi = models.FloatField(null=True)
    p99_ms = models.FloatField(null=True)
    fsyncs = models.FloatField(null=True)  # per commit, of `fsyncs_from` together
    # Classes of files and sources; only equal ones can be compared.
    fsyncs_from = models.CharField(max_length=200, blank=True)
    lost_engine = models.FloatField(null=True)  # acknowledged transactions per trial, mean
    lost_binlog = models.FloatField(null=True)
    outage_ms = models.FloatField(null=True)  # how long a failover refused writes, mean

    class Meta:
        ordering = ["at", "pk"]
        constraints = [models.UniqueConstraint(name="one_entry_each", fields=["track", "experiment"])]
        indexes = [models.Index(name="entry_in_time", fields=["track", "at"])]


class ChangeState(models.TextChoices):
    SUSPECTED = "suspected", "suspected"
    CONFIRMED = "confirmed", "confirmed"
    NOT_CONFIRMED = "refuted", "not confirmed"
    PAST = "past", "in the past"  # found at the first search of a track; not measured again


class Change(models.Model):
    """A change of a figure: suspected, then confirmed or not confirmed by the next measurement. People are notified of
    confirmed changes only."""

    State = ChangeState

    track = models.ForeignKey(Track, on_delete=models.CASCADE, related_name="changes")
    figure = models.CharField(max_length=20)  # a key of figures.FIGURES
    first = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="+")  # the first entry after it
    found_with = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="+")  # the newest when it was found
    state = models.CharField(max_length=9, choices=State)
    before = models.FloatField()  # medians
    after = models.FloatField()
    p = models.FloatField()
    nights_after = models.PositiveIntegerField()  # when it was last judged
    found_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)
    decided_by = models.ForeignKey(Entry, null=True, on_delete=models.SET_NULL, related_name="+")
    rerun = models.ForeignKey(Experiment, null=True, on_delete=models.SET_NULL, related_name="+")
    problem = models.TextField(blank=True)  # why it is not measured again now
    again: float | None = None  # the deciding value; only set on rows that were just decided

    class Meta:
        ordering = ["-first__at", "pk"]
        constraints = [models.UniqueConstraint(name="one_change_each", fields=["track", "figure", "first"])]
        indexes = [models.Index(name="change_open", fields=["state"], condition=Q(state="suspected"))]


class Noted(models.Model):
    """An ended experiment whose entries are written. A resumed experiment ends again and is noted again."""

    experiment = models.OneToOneField(Experiment, on_delete=models.CASCADE, related_name="noted", primary_key=True)
    ended_at = models.DateTimeField()
    problem = models.TextField(blank=True)  # why it could not be read
