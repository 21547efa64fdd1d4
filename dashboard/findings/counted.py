"""The unit of a workload's throughput: commits, or another unit where several operations share a commit."""

from workers.bench.plan import Plan
from workers.bench.workloads import WORKLOADS


def counted(plan: Plan, label: str) -> str:
    """`label`: of the workload in the plan. A workload that no longer exists counted commits."""
    key = next((workload.key for workload in plan.workloads if workload.label == label), "")
    return WORKLOADS[key].counts if key in WORKLOADS else "commits"
