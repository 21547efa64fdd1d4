"""When two measurements are of the same: the track of a point and of a variant's crashes. What the environment is,
version and device, is not part of it: that is what may have changed."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from dashboard.experiments.crash_kinds import title
from dashboard.history.models import Track
from dashboard.numbers import at, duration, whole
from workers.bench.plan import Plan, Variant


def load_track(plan: Plan, server_id: int, variant: str, label: str, threads: int) -> dict[str, Any]:
    """The fields that name the track of a measured point."""
    workload = plan.workload(label)
    how = {"label": label, "workload": workload.key, "params": dict(workload.params)}
    how |= {"threads": threads, "rows": plan.table_rows}
    if plan.load_workers > 1:  # tracks from before know nothing of it
        how["load_workers"] = plan.load_workers
    length = {"warmup_s": plan.warmup_s, "measure_s": plan.measure_s}
    says = f"{label}, {at(threads)}, {duration(plan.measure_s)}, {whole(plan.table_rows)} rows"
    return _named(server_id, Track.Kind.LOAD, {**how, **length}, says, plan.variant(variant))


def crash_track(plan: Plan, server_id: int, variant: str, kind: str) -> dict[str, Any]:
    """The fields that name the track of a variant's crashes of one kind."""
    crash = plan.crash
    how = {"crash": kind, "clients": crash.clients, "load_s": crash.load_s, "replica": crash.replica}
    says = f"{title(kind)}, {crash.clients} clients, {duration(crash.load_s)}{', with a replica' * crash.replica}"
    return _named(server_id, Track.Kind.CRASH, how, says, plan.variant(variant))


def _named(server_id: int, kind: str, how: Mapping[str, Any], says: str, variant: Variant) -> dict[str, Any]:
    meant = {"settings": dict(variant.settings), "engine": variant.engine.lower()}
    meant |= {"build": variant.build, "storage": variant.storage}
    return {
        "server_id": server_id,
        "kind": kind,
        "condition": digest(how),
        "variant": variant.name,
        "settings": digest(meant),
        "defaults": {"says": says[:200], "means": _in_words(variant)},
    }


def digest(what: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()[:16]


def _in_words(variant: Variant) -> str:
    parts = [f"{name}={value}" for name, value in sorted(variant.settings.items())]
    parts += [part for part in (variant.engine, variant.build, variant.storage) if part and part.lower() != "innodb"]
    return ", ".join(parts)
