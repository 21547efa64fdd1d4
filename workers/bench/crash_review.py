"""Problems of a plan's crash trials, and their expected time."""

from collections.abc import Iterator, Mapping
from itertools import islice

from workers.bench import replica_flushes
from workers.bench.needs import Candidate
from workers.bench.plan import OF_ATTACHED, OF_TWO_DISKS, CrashPlan, Plan, Variant
from workers.bench.plan_field import out_of_bounds
from workers.bench.trial_kinds import TRIAL_KINDS, all_kinds, needs_as
from workers.crash.kinds import CRASH_KINDS
from workers.crash.kinds.every_crash_point import ReplicaCrashPoints
from workers.sandbox.builds.catalogue import CATALOGUE
from workers.servers.settings import SETTINGS, same, switch
from workers.topology.faults import FAULTS, HOW_NODES, refusal

MOST_TRIALS = 5000
WITH_REPLICA = frozenset(key for key, kind in CRASH_KINDS.items() if kind.with_replica)
ALONE = frozenset(key for key, kind in CRASH_KINDS.items() if kind.records and not kind.with_replica)
# Measured on 2 cores (docs/research/volatile-disk.md, tests/bench/trial.py): what a trial takes besides its load.
TRIAL_S = 1.5
REPLICA_S = 2.5
FAILOVER_S = 4.0
OF_MYSQL = 3.0  # times as long: more files, and a longer recovery (docs/research/crash-points.md)


def problems(plan: Plan, servers: Mapping[int, Candidate]) -> Iterator[str]:
    """One sentence each; nothing for a plan without trials."""
    crash = plan.crash
    if not crash.trials:
        return
    if wrong := list(out_of_bounds(crash)):
        yield from wrong
        return  # below, every trial is counted
    yield from (_unknown(kind) for kind in crash.kinds if kind not in TRIAL_KINDS)
    if not crash.kinds:
        yield "Choose at least one crash, or 0 trials."
    yield from _two_disks(plan)
    yield from replica_flushes.problems(crash)
    if plan.crash.replica and plan.crash.kinds and ALONE.issuperset(plan.crash.kinds):
        yield (
            "None of the chosen crashes is tried with a replica. Turn the replica off, or choose the crash "
            f"{ReplicaCrashPoints.title}."
        )
    size = sum(1 for _ in islice(plan.trials(), MOST_TRIALS + 1))
    if crash.kinds and not size:
        yield (
            "None of the chosen crashes is for these servers: Durascope crashes sandboxes, but attached servers "
            "only by their owner's command, and faults of a topology need a variant with one. Choose another crash, or "
            "0 trials."
        )
    if size > MOST_TRIALS:
        yield f"The plan has too many crash trials; at most {MOST_TRIALS:,} fit one experiment. Remove some."
    for target in plan.targets:
        yield from _server(plan, servers[target.server_id])


def _unknown(kind: str) -> str:
    why = refusal(kind) if ":" in kind else f"Known: {', '.join(TRIAL_KINDS)}; and sets of nodes: {HOW_NODES}"
    return f"There is no crash kind {kind[:80]!r}. {why}"


def _two_disks(plan: Plan) -> Iterator[str]:
    if not any(variant.has_two_disks for variant in plan.variants):
        for kind in OF_TWO_DISKS.intersection(plan.crash.kinds):
            yield (
                f"{CRASH_KINDS[kind].title} needs logs on a device of their own. Give a variant two devices, for "
                "example the storage nvme-plp+binlog, or remove this crash."
            )


def estimate_s(plan: Plan) -> float:
    """Expected wall time of all trials in seconds."""
    return sum(trial_s(plan.crash, trial.kind, trial.variant) for trial in plan.trials())


def trial_s(crash: CrashPlan, key: str, variant: Variant) -> float:
    """Expected seconds of a trial of that crash kind or fault. On average a crash comes after three quarters of the
    load. A build outside of the catalogue is taken for a MariaDB."""
    kind, fault, build = CRASH_KINDS.get(key), FAULTS.get(key), CATALOGUE.get(variant.build)
    besides_s = FAILOVER_S if variant.topology else TRIAL_S + (REPLICA_S if crash.replica else 0)
    points_s = (kind.all_points_s or crash.points * kind.point_s) if kind else 0.0
    slower = OF_MYSQL if build and build.flavour == "mysql" else 1.0
    paused_s = crash.pause_s if fault and fault.pauses else 0.0
    return 0.75 * crash.load_s + besides_s + min(slower * points_s, crash.points_s) + paused_s


def _server(plan: Plan, server: Candidate) -> Iterator[str]:
    kinds = plan.crash.kinds
    if server.is_sandbox:
        missing = {kind: server.crash_missing.get(needs_as(kind)) for kind in all_kinds(plan) if kind in TRIAL_KINDS}
        gone = {kind: why for kind, why in missing.items() if why}
        yield from (f"{TRIAL_KINDS[kind].title} is not available: {why}" for kind, why in gone.items())
        yield from _replicas(plan, server)
    elif not OF_ATTACHED.intersection(kinds):
        return
    elif not server.may_be_crashed:
        yield f"{server.name} may not be crashed: its owner has not marked it expendable. See the server's page."
    else:
        yield from (said for variant in plan.variants for said in _as_it_is(variant, server))


def _replicas(plan: Plan, server: Candidate) -> Iterator[str]:
    wanted = plan.crash.replica or WITH_REPLICA.intersection(plan.crash.kinds)
    for variant in (one for one in plan.variants if wanted or one.topology):
        why = server.replica_missing.get(variant.build)
        if why and (variant.topology or switch(variant.settings.get("log_bin", "OFF")) == "ON"):
            yield f"Variant {variant.name} cannot have a replica: {why}. Turn replicas off, or choose a newer build."


def _as_it_is(variant: Variant, server: Candidate) -> Iterator[str]:
    """After the crash an attached server starts with its own option file, so a variant cannot change it. `review` tells
    of settings that are not known."""
    for name, value in variant.settings.items():
        if name in SETTINGS and not same(name, server.present.get(name, ""), value):
            yield (
                f"Variant {variant.name}: {server.name} is crashed with its present settings, and {name} is "
                f"{server.present.get(name) or 'not known'} there. Set it in the server's option file, or remove it."
            )
