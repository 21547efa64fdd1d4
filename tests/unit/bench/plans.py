"""A small plan to vary."""

from dataclasses import replace
from typing import Any

from workers.bench.plan import Plan, PlanTarget, Variant, WorkloadChoice


def plan(**changes: Any) -> Plan:
    small = Plan(
        name="small",
        targets=(PlanTarget(1, "one"),),
        variants=(
            Variant("1/1", {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "1"}),
            Variant("0/0", {"innodb_flush_log_at_trx_commit": "0", "sync_binlog": "0"}),
        ),
        workloads=(WorkloadChoice("update", "update-by-key", {}),),
        threads=(1, 8),
        repeats=3,
        warmup_s=1,
        measure_s=5,
        table_rows=1000,
        seed=7,
    )
    return replace(small, **changes)
