"""Which measurements of a variant belong to one track."""

from dataclasses import replace

from dashboard.records.history.track_keys import crash_track, load_track
from workers.bench.plan import CrashPlan, Plan, PlanTarget, Variant, WorkloadChoice

SAFE = Variant("safe", {"sync_binlog": "1"})
PLAN = Plan(
    name="Topologies", targets=(PlanTarget(1, "box"),), variants=(SAFE,), threads=(8,), repeats=3, warmup_s=2,
    workloads=(WorkloadChoice("update by key", "update-by-key", {}),), measure_s=10, table_rows=1000, seed=1,
    crash=CrashPlan(kinds=("primary-kill",), trials=3),
)  # fmt: skip


def keys(topology: str):
    """The tracks of a load and of a crash of one variant with this topology."""
    plan = replace(PLAN, variants=(replace(SAFE, topology=topology),))
    return load_track(plan, 1, "safe", "update by key", 8), crash_track(plan, 1, "safe", "primary-kill")


def test_another_topology_is_another_track():
    for alone, replicated, delayed in zip(keys(""), keys("asynchronous"), keys("asynchronous+rtt=10ms"), strict=True):
        assert len({alone.settings, replicated.settings, delayed.settings}) == 3
        assert (alone.means, replicated.means) == ("sync_binlog=1", "sync_binlog=1, asynchronous")
        assert alone.condition == replicated.condition == delayed.condition


def test_the_same_topology_is_the_same_track():
    assert keys("asynchronous") == keys("asynchronous")


def test_each_difference_between_tracks_is_in_their_words():
    """Two tracks never have the same words."""
    together = replace(PLAN, load_workers=2)
    alone = load_track(PLAN, 1, "safe", "update by key", 8)
    joined = load_track(together, 1, "safe", "update by key", 8)
    assert joined.condition != alone.condition and joined.says == f"{alone.says}, load from 2 workers"

    few = replace(PLAN, crash=replace(PLAN.crash, points=40))
    whole, part = (crash_track(plan, 1, "safe", "every-crash-point") for plan in (PLAN, few))
    assert whole.condition != part.condition
    assert part.says == "crash points, 16 clients, load of up to 2.0 s, at most 40 of each load"
    short = replace(PLAN, crash=replace(PLAN.crash, points_s=60))
    for plan in (few, short):
        assert crash_track(plan, 1, "safe", "power-loss") == crash_track(PLAN, 1, "safe", "power-loss")
    assert crash_track(short, 1, "safe", "every-crash-point").says == f"{whole.says} within 1 min"
    relaxed = replace(PLAN, crash=replace(PLAN.crash, replica_flushes="2/0"))
    same, other = (crash_track(plan, 1, "safe", "replica-crash-points") for plan in (PLAN, relaxed))
    assert same.condition != other.condition and other.says == f"{same.says}, the replica at 2/0"
    assert crash_track(relaxed, 1, "safe", "every-crash-point") == whole
