"""Which measurements belong to one track: those of the same point, or of the same crashes of a variant. Version and
device do not count, because a history shows the effect of their changes."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from dashboard.records.experiments.kind_names import RECORDED_KINDS, title
from dashboard.records.history.models import Track
from dashboard.text.numbers import at, duration, whole
from workers.bench.plan import CrashPlan, Plan, Variant
from workers.bench.plan_field import fields_of
from workers.crash.kinds.every_crash_point import ReplicaCrashPoints
from workers.topology.faults import FAULTS

STORED_AS = {"table_rows": "rows"}  # in the digests of tracks


@dataclass(frozen=True)
class TrackKey:
    """The columns that identify a track, and its condition and settings in words."""

    server_id: int
    kind: str
    condition: str
    variant: str
    settings: str
    says: str
    means: str


def load_track(plan: Plan, server_id: int, variant: str, label: str, threads: int) -> TrackKey:
    workload = plan.workload(label)
    how = {"label": label, "workload": workload.key, "params": dict(workload.params), "threads": threads}
    says = f"{label}, {at(threads)}, {duration(plan.measure_s)}, {whole(plan.table_rows)} rows"
    if plan.load_workers > 1:
        says += f", load from {plan.load_workers} workers"
    return _named(server_id, Track.Kind.LOAD, how | _told_apart(plan), says, plan.variant(variant))


def crash_track(plan: Plan, server_id: int, variant: str, kind: str) -> TrackKey:
    crash = plan.crash
    load = f"load of up to {duration(crash.load_s)}{', with a replica' * crash.replica}"
    says = f"{title(kind)}, {crash.clients} clients, {load}"
    how = {"crash": kind} | _told_apart(crash)
    if kind in RECORDED_KINDS:
        says += f", at most {whole(crash.points)} of each load"
        says += f" within {duration(crash.points_s)}" if "points_s" in how else ""
    else:
        how = {name: value for name, value in how.items() if name not in ("points", "points_s")}
    if kind != ReplicaCrashPoints.key:
        how.pop("replica_flushes", None)
    elif crash.replica_flushes:
        says += f", the replica at {crash.replica_flushes}"
    of = Track.Kind.FAILOVER if kind in FAULTS else Track.Kind.CRASH
    return _named(server_id, of, how, says, plan.variant(variant))


def _told_apart(plan: Plan | CrashPlan) -> dict[str, object]:
    """The fields of the plan that make it another measurement. A later field is left out at its default, because older
    tracks do not have it."""
    told: dict[str, object] = {}
    for one in fields_of(plan):
        when, value = one.description.tells_apart, getattr(plan, one.name)
        if when == "always" or (when and value != one.default):
            told[STORED_AS.get(one.name, one.name)] = value
    return told


def _named(server_id: int, kind: str, how: Mapping[str, object], says: str, variant: Variant) -> TrackKey:
    meant: dict[str, object] = {"settings": dict(variant.settings), "engine": variant.engine.lower()}
    meant |= {"build": variant.build, "storage": variant.storage}
    if variant.topology:  # older tracks do not have it
        meant["topology"] = variant.topology
    return TrackKey(server_id, kind, digest(how), variant.name, digest(meant), says[:200], _in_words(variant))


def digest(what: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:16]


def _in_words(variant: Variant) -> str:
    parts = [f"{name}={value}" for name, value in sorted(variant.settings.items())]
    places = (variant.engine, variant.build, variant.storage, variant.topology)
    parts += [part for part in places if part and part.lower() != "innodb"]
    return ", ".join(parts)
