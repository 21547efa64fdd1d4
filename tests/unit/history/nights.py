"""Made-up nights: entries as `dashboard.history.entries` would have written them, without the runs beneath."""

from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta

import numpy as np

from dashboard.records.experiments.models import Experiment
from dashboard.records.history import track_keys
from dashboard.records.history.models import Entry, Noted, Track
from tests.unit.results import factory
from workers.bench.plan import WorkloadChoice

FIRST = datetime(2026, 1, 1, 2, 30, tzinfo=UTC)
DAY = timedelta(days=1)
VARIANTS = {"1/1": 1000.0, "2/0": 3000.0, "0/0": 6000.0, "1/0": 1800.0}
OLD, NEW = (
    {"version": "10.11.6-MariaDB"},
    {"version": "10.11.8-MariaDB", "kernel": "6.8.0", "innodb_io_capacity": "400"},
)


def noise(nights, seed=3, spread=0.03):
    """Factors round 1: the same for the same seed."""
    return 1 + spread * np.random.default_rng(seed).normal(size=nights)


def plan(server, variants=VARIANTS, threads=(8,), name="nightly"):
    """One that can be run."""
    workload = WorkloadChoice("update by key", "update-by-key", {})
    return replace(factory.plan([server], variants, threads, name=name), workloads=(workload,))


def experiment(server, at=FIRST, variants=VARIANTS, threads=(8,), name="nightly"):
    """Over, with a plan and without cells."""
    made = plan(server, variants, threads, name).as_dict()
    times = {"created_at": at, "started_at": at, "ended_at": at + timedelta(minutes=10)}
    return Experiment.objects.create(name=name, plan=made, seed=1, state="done", **times)


def track(server, variant="1/1", threads=8, variants=VARIANTS):
    key = track_keys.load_track(plan(server, variants, (threads,)), server.pk, variant, "update by key", threads)
    return Track.objects.update_or_create(**asdict(key))[0]


def entry(track, experiment, tps, environment=None, **figures):
    """p99 and fsyncs are steady unless given."""
    Noted.objects.update_or_create(experiment=experiment, defaults={"ended_at": experiment.ended_at})
    Track.objects.filter(pk=track.pk).update(unlooked=True)
    known = {"p99_ms": 3.0, "fsyncs": 1.25, "fsyncs_from": "binlog: trace; redo: trace", "repeats": 2, **figures}
    where = factory.environment_row(**(environment or OLD))
    known |= {"track": track, "experiment": experiment, "at": experiment.started_at, "environment": where, "tps": tps}
    return Entry.objects.create(**known)


def history(server, tps, *, start=0, threads=8, environment=None, variant="1/1"):
    """A night a day of one variant, with that throughput; the entries."""
    mine = track(server, variant, threads)
    return [
        entry(mine, experiment(server, FIRST + (start + n) * DAY), float(one), environment)
        for n, one in enumerate(tps)
    ]  # fmt: skip
