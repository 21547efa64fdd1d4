"""The plan of an experiment: what is measured, how often, in which order.

A plan is a full grid: targets x variants x workloads x threads x repeats. It is executed in blocks, one per
repeat, workload and number of threads; a block holds every target and variant in a random order, so that
those that will be compared are measured close together and a machine that drifts favours none of them
(randomised complete blocks; Montgomery, Design and Analysis of Experiments, chapter 4).
"""

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from workers.errors import PlanError

MOST_THREADS = 1024
MOST_LOAD_WORKERS = 16
MOST_CELLS = 5000
ENGINE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")  # it ends in SQL, where it cannot be quoted
ENGINE_MEND = "Write it as SHOW ENGINES does: InnoDB, ROCKSDB."
OWNERS_COMMAND = "attached-expendable"  # the crash kind of attached servers
CONTROLS = ("lying-disk", "graceful-restart")  # the positive and the negative control of the crash checks


@dataclass(frozen=True)
class PlanTarget:
    """A registered server by its id; the name is kept for readers of the plan."""

    server_id: int
    name: str
    is_sandbox: bool = True


@dataclass(frozen=True)
class Variant:
    """One named set of settings, and the storage engine of its tables. On sandboxes also which server binaries and
    which simulated device: `build` empty is the target's own, `storage` empty the host's disk."""

    name: str
    settings: Mapping[str, str]
    engine: str = "innodb"
    build: str = ""  # a key of workers.sandbox.builds
    storage: str = ""  # a key of workers.sandbox.storage


@dataclass(frozen=True)
class WorkloadChoice:
    """A workload of the registry with its parameters; `label` is unique in the plan."""

    label: str
    key: str
    params: Mapping[str, str]


@dataclass(frozen=True)
class PlannedCell:
    """One repeat of one point, in execution order. `block` numbers the blocks from 0."""

    position: int
    block: int
    target: PlanTarget
    variant: Variant
    workload: WorkloadChoice
    threads: int
    repeat: int


@dataclass(frozen=True)
class CrashPlan:
    """Crash trials of every variant: `trials` of each kind (0: none). Lying disk and graceful restart, the controls
    of the detector, are run `control_trials` times on the baseline variant beside whatever `kinds` names. Attached
    servers are crashed by their owner's command, and by nothing else."""

    kinds: tuple[str, ...] = ()
    trials: int = 0
    control_trials: int = 1
    clients: int = 16
    load_s: float = 2.0
    replica: bool = False


@dataclass(frozen=True)
class PlannedTrial:
    """One crash of one variant, in execution order."""

    position: int
    target: PlanTarget
    variant: Variant
    kind: str
    repeat: int
    seed: int


@dataclass(frozen=True)
class Plan:
    """Everything needed to run an experiment again: the seed fixes the order and sysbench's random numbers."""

    name: str
    targets: tuple[PlanTarget, ...]
    variants: tuple[Variant, ...]
    workloads: tuple[WorkloadChoice, ...]
    threads: tuple[int, ...]
    repeats: int
    warmup_s: int
    measure_s: int
    table_rows: int
    seed: int
    baseline: str = ""
    sources: tuple[str, ...] = ()  # keys of metric sources; empty: the default ones
    crash: CrashPlan = CrashPlan()
    load_workers: int = 1  # the measured load comes from so many workers at once
    main_variant: str = ""  # the headline compares it with the baseline; empty: the last variant
    main_threads: int = 0  # and does so at this number of threads; 0: the highest

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Plan":
        """The plan that `as_dict` gave. Raises PlanError when it is not one."""
        try:
            return cls(
                **{
                    **data,
                    "targets": tuple(PlanTarget(**target) for target in data["targets"]),
                    "variants": tuple(Variant(**variant) for variant in data["variants"]),
                    "workloads": tuple(WorkloadChoice(**workload) for workload in data["workloads"]),
                    "threads": tuple(data["threads"]),
                    "sources": tuple(data.get("sources", ())),
                    "crash": _crash(data.get("crash") or {}),
                }
            )
        except (KeyError, TypeError) as wrong:
            raise PlanError(f"This is not a plan: {wrong}.") from wrong

    def variant(self, name: str) -> Variant:
        return next(variant for variant in self.variants if variant.name == name)

    def workload(self, label: str) -> WorkloadChoice:
        return next(workload for workload in self.workloads if workload.label == label)

    @property
    def size(self) -> int:
        """Number of cells."""
        points = len(self.targets) * len(self.variants) * len(self.workloads) * len(self.threads)
        return points * self.repeats

    def cells(self) -> Iterator[PlannedCell]:
        """All cells in execution order: the same for the same plan and seed, always."""
        shuffle = random.Random(self.seed)  # noqa: S311 - an order, not a secret
        position = 0
        for block, (repeat, workload, threads) in enumerate(self._blocks(shuffle)):
            rivals = [(target, variant) for target in self.targets for variant in self.variants]
            shuffle.shuffle(rivals)
            for target, variant in rivals:
                yield PlannedCell(position, block, target, variant, workload, threads, repeat)
                position += 1

    def trials(self) -> Iterator[PlannedTrial]:
        """All crash trials in execution order; each has a seed of its own, drawn from the plan's."""
        draw = random.Random(self.seed + 1)  # noqa: S311 - an order, not a secret
        position = 0
        for repeat in range(1, max(self.crash.trials, self.crash.control_trials) + 1):
            due = self._due(repeat)
            draw.shuffle(due)
            for target, variant, kind in due:
                yield PlannedTrial(position, target, variant, kind, repeat, draw.randrange(1, 2**31))
                position += 1

    def _due(self, repeat: int) -> list[tuple[PlanTarget, Variant, str]]:
        """What is crashed in one repeat; nothing in a plan without trials."""
        crash = self.crash
        variants = self.variants if repeat <= crash.trials else ()
        asked = [
            (target, variant, kind)
            for target in self.targets
            for variant in variants
            for kind in crash.kinds
            if target.is_sandbox != (kind == OWNERS_COMMAND)
        ]
        if not crash.trials or repeat > crash.control_trials:
            return asked
        base = self.variant(self.baseline) if self.baseline else self.variants[0]
        controls = [(target, base, kind) for target in self.targets if target.is_sandbox for kind in CONTROLS]
        return asked + [control for control in controls if control not in asked]

    def _blocks(self, shuffle: random.Random) -> Iterator[tuple[int, WorkloadChoice, int]]:
        for repeat in range(1, self.repeats + 1):
            points = [(workload, threads) for workload in self.workloads for threads in self.threads]
            shuffle.shuffle(points)
            yield from ((repeat, workload, threads) for workload, threads in points)


def _crash(data: Mapping[str, Any]) -> CrashPlan:
    return CrashPlan(**{**data, "kinds": tuple(data.get("kinds", ()))})
