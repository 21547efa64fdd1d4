"""The parts of a stored plan that every version can read. `workers.bench.plan.Plan` is the whole."""

from dataclasses import dataclass


@dataclass(frozen=True)
class OutlinedTarget:
    server_id: int
    name: str


@dataclass(frozen=True)
class OutlinedVariant:
    name: str
    build: str = ""
    storage: str = ""


@dataclass(frozen=True)
class OutlinedWorkload:
    label: str
    key: str


@dataclass(frozen=True)
class OutlinedCrash:
    trials: int | None = 0


@dataclass(frozen=True)
class PlanOutline:
    name: str = ""
    targets: tuple[OutlinedTarget, ...] = ()
    variants: tuple[OutlinedVariant, ...] = ()
    workloads: tuple[OutlinedWorkload, ...] = ()
    threads: tuple[int, ...] = ()
    crash: OutlinedCrash | None = None
