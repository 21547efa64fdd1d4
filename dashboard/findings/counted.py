"""What the throughput of a workload is a number of: commits, or what does not make a commit each, as updates of which
many share one."""

from workers.bench.plan import Plan
from workers.bench.workloads import WORKLOADS


def counted(plan: Plan, label: str) -> str:
    """By the plan's label of the workload; one that is known no longer counted commits."""
    key = next((workload.key for workload in plan.workloads if workload.label == label), "")
    return WORKLOADS[key].counts if key in WORKLOADS else "commits"
