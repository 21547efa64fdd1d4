"""The plan of an experiment: what is measured, how often, in which order.

A plan is a full grid: targets x variants x workloads x threads x repeats. It is executed in blocks, one for each
repeat, workload and number of threads. A block holds every target and variant in random order. So points that are
compared are measured close together, and a drift of the machine favours none (randomised complete blocks; Montgomery,
Design and Analysis of Experiments, chapter 4).
"""

import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from workers.bench.plan_field import described, fields_of
from workers.crash.kinds import CRASH_KINDS
from workers.errors import PlanError
from workers.guardrails.limit import Limits
from workers.topology.faults import FAULTS
from workers.topology.topology import ONE_SERVER, family

MOST_THREADS = 1024
MOST_LOAD_WORKERS = 16
MOST_CELLS = 5000
ENGINE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")  # it becomes a part of SQL, where it cannot be quoted
ENGINE_FIX = "Write it as SHOW ENGINES does: InnoDB, ROCKSDB."
OF_ATTACHED = frozenset(key for key, kind in CRASH_KINDS.items() if kind.attached)  # the others are for sandboxes
OF_TWO_DISKS = frozenset(key for key, kind in CRASH_KINDS.items() if kind.needs_two_disks)
CRASH_CONTROLS = tuple(key for key, kind in CRASH_KINDS.items() if kind.control)
FAILOVER_CONTROLS = tuple(key for key, fault in FAULTS.items() if fault.control)
CONTROLS = CRASH_CONTROLS + FAILOVER_CONTROLS


@dataclass(frozen=True)
class PlanTarget:
    """A registered server by its id; `name`: for readers of the plan. `present`: the settings that an attached server
    had when the experiment was created, as far as variants name them; None: not known."""

    server_id: int
    name: str
    is_sandbox: bool = True
    present: Mapping[str, str] | None = field(default=None, hash=False)

    def as_dict(self) -> dict[str, Any]:
        """Without `present` if it is not known, as in the file of an experiment."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class Variant:
    """One named set of settings, and the storage engine of its tables. On sandboxes also the build, the simulated
    device and the topology: an empty `build` is the target's own, an empty `storage` the host's disk, an empty
    `topology` one server alone."""

    name: str
    settings: Mapping[str, str]
    engine: str = "innodb"
    build: str = ""  # a key of workers.sandbox.builds
    storage: str = ""  # notation of workers.sandbox.storage
    topology: str = ""  # notation of workers.topology.topology

    @property
    def has_two_disks(self) -> bool:
        """Whether redo log, binlog or both lie on a disk of their own: `sata-7200+binlog`."""
        return "+" in self.storage


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
    """Crash trials of every variant: `trials` of each kind (0: none). The controls of the self-test run
    `control_trials` times on one variant of each family of topologies. Attached servers are crashed only by their
    owner's command."""

    kinds: tuple[str, ...] = field(default=(), metadata=described(
        "texts", "Crashes", "What is done to the server, or to the topology, in the middle of its load.",
        group="crash", in_sizes=True, asks=True,
    ))  # fmt: skip
    trials: int = field(default=0, metadata=described(
        "whole", "Trials of each crash",
        "Of each variant. 30 without a loss still allow that 12\N{NO-BREAK SPACE}% of crashes lose something.",
        least=1, most=1000, group="crash", in_sizes=True, asks=True,
    ))  # fmt: skip
    control_trials: int = field(default=1, metadata=described(
        "whole", "Control trials", "Of each control. Empty: as in the recipe, or as many as of each crash, at most 3.",
        least=0, most=1000, group="crash", may_be_empty=True, in_sizes=True,
    ))  # fmt: skip
    clients: int = field(default=16, metadata=described(
        "whole", "Threads in a crash trial", "Connections that commit until the crash.",
        least=1, most=256, group="crash", in_sizes=True, asks=True, tells_apart="always",
    ))  # fmt: skip
    load_s: float = field(default=2.0, metadata=described(
        "number", "Seconds of load", "Until the crash comes.",
        least=0.2, most=600, group="crash", in_sizes=True, asks=True, tells_apart="always",
    ))  # fmt: skip
    replica: bool = field(default=False, metadata=described(
        "yes", "With a replica: does it still agree afterwards?",
        "A second sandbox follows the first, and its rows are compared.",
        group="crash", in_sizes=True, asks=True, tells_apart="always",
    ))  # fmt: skip
    pause_s: float = field(default=10.0, metadata=described(
        "number", "Seconds of a pause", "How long a fault that pauses nodes freezes them.",
        least=0.1, most=600, group="crash", may_be_empty=True, in_sizes=True, asks=True, tells_apart="unless default",
    ))  # fmt: skip
    own_load: bool = field(default=False, metadata=described(
        "yes", "Under your own transaction",
        "The clients commit the statements of your own transaction beside the rows of the ledger.",
        group="crash", in_sizes=True, asks=True, tells_apart="unless default",
    ))  # fmt: skip
    points: int = field(default=200, metadata=described(
        "whole", "Crash points of a load",
        "How many moments of each load are recovered and judged. Of small histories, all are.",
        least=1, most=20_000, group="crash", may_be_empty=True, in_sizes=True, asks=True, tells_apart="unless default",
    ))  # fmt: skip
    points_s: float = field(default=3600, metadata=described(
        "number", "Seconds for these crash points",
        "After this time no other crash point of the load is tried. The page of the trial says how many are left.",
        least=1, most=86_400, group="crash", may_be_empty=True, in_sizes=True, tells_apart="unless default",
    ))  # fmt: skip
    replica_flushes: str = field(default="", metadata=described(
        "text", "Flush settings of the replica",
        "Of crash points of a replica: flush_log/sync_binlog of the replica, for example 2/0. "
        "Empty: as its primary.",
        group="crash", may_be_empty=True, in_sizes=True, asks=True, tells_apart="unless default",
    ))  # fmt: skip
    keep_recording: bool = field(default=False, metadata=described(
        "yes", "Keep the recording of a load",
        "Compressed, at most 32 MiB for each trial. Crash points that were not tried can be tried later.",
        group="crash", in_sizes=True,
    ))  # fmt: skip


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
    """Everything to repeat an experiment: the seed fixes the order and sysbench's random numbers."""

    name: str = field(
        metadata=described(
            "text", "Name", "To know the result again, in lists and links.", group="compared", in_recipe=False
        )
    )
    targets: tuple[PlanTarget, ...]
    variants: tuple[Variant, ...]
    workloads: tuple[WorkloadChoice, ...]
    threads: tuple[int, ...] = field(metadata=described(
        "wholes", "Threads", "Connections that commit at the same time. Each number is measured.",
        least=1, most=MOST_THREADS, group="first", in_sizes=True, asks=True,
    ))  # fmt: skip
    repeats: int = field(metadata=described(
        "whole", "Repeats",
        "Measurements of each point. With fewer than 3 no interval is known and nothing is compared.",
        start=3, least=1, most=50, group="length", in_sizes=True, asks=True,
    ))  # fmt: skip
    warmup_s: int = field(metadata=described(
        "whole", "Warm-up seconds", "Load before it counts.",
        start=2, least=0, most=600, group="length", in_sizes=True, asks=True, tells_apart="always",
    ))  # fmt: skip
    measure_s: int = field(metadata=described(
        "whole", "Measuring seconds", "The length of each repeat. The figures of longer repeats vary less.",
        start=10, least=1, most=3600, group="first", in_sizes=True, asks=True, tells_apart="always",
    ))  # fmt: skip
    table_rows: int = field(metadata=described(
        "whole", "Rows in the table", "Few fit the cache: commits are measured, not reads.",
        start=10_000, least=1, most=100_000_000, group="load", in_sizes=True, asks=True, tells_apart="always",
    ))  # fmt: skip
    seed: int = field(metadata=described(
        "whole", "Seed", "Fixes the order and sysbench's random numbers. One is drawn where it is left out.",
        least=0, most=2**31 - 1, in_recipe=False,
    ))  # fmt: skip
    baseline: str = field(default="", metadata=described(
        "text", "Baseline", "The variant that ratios refer to; the first one when left empty.",
        group="compared", may_be_empty=True, one_of="variants",
    ))  # fmt: skip
    sources: tuple[str, ...] = field(default=(), metadata=described(
        "texts", "Metric sources",
        "Where fsync and group-commit counts come from. "
        "Sources that the server lacks are skipped; the result lists them.",
        group="length",
    ))  # fmt: skip
    crash: CrashPlan = CrashPlan()
    load_workers: int = field(default=1, metadata=described(
        "whole", "Load from workers",
        "How many workers of the site generate the load together. Use 1 unless the worker's CPU is the bottleneck.",
        least=1, most=MOST_LOAD_WORKERS, group="length", may_be_empty=True, asks=True,
        tells_apart="unless default",
    ))  # fmt: skip
    main_variant: str = field(default="", metadata=described(
        "text", "Headline: variant",
        "The first sentence of the result compares it with the baseline. The last one when left empty.",
        group="compared", may_be_empty=True, one_of="variants",
    ))  # fmt: skip
    main_threads: int = field(default=0, metadata=described(
        "whole", "Headline: threads", "The number of threads of that comparison. The highest one when left empty.",
        group="compared", may_be_empty=True, one_of="threads",
    ))  # fmt: skip

    max_lag_s: float = field(default=10, metadata=described(
        "number", "Replica lag at most (seconds)",
        "Of each registered replica of an attached server. Replication that is stopped counts as more. 0: not watched.",
        least=0, most=86_400, group="guard", may_be_empty=True,
    ))  # fmt: skip
    max_threads_running: int = field(default=50, metadata=described(
        "whole", "Running threads of other clients at most",
        "Threads_running of an attached server without the threads of the load. 0: not watched.",
        least=0, most=100_000, group="guard", may_be_empty=True,
    ))  # fmt: skip
    min_free_gb: float = field(default=2, metadata=described(
        "number", "Free disk space at least (GiB)",
        "In the folders of the data, the redo log and the binary log of an attached server. 0: not watched.",
        least=0, most=1_000_000, group="guard", may_be_empty=True,
    ))  # fmt: skip
    max_p99_ms: float = field(default=1000, metadata=described(
        "number", "p99 of Durascope's own probe commits at most (ms)",
        "A probe commits five times a second on the attached server, as another client would. 0: not watched.",
        least=0, most=600_000, group="guard", may_be_empty=True,
    ))  # fmt: skip

    @property
    def limits(self) -> Limits:
        return Limits(self.max_lag_s, self.max_threads_running, self.min_free_gb, self.max_p99_ms)

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "targets": [target.as_dict() for target in self.targets]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Plan":
        """The plan that `as_dict` gave. Raises PlanError when it is not one."""
        try:
            return cls(
                **{
                    **_stored(cls, data),
                    "targets": tuple(PlanTarget(**target) for target in data["targets"]),
                    "variants": tuple(Variant(**variant) for variant in data["variants"]),
                    "workloads": tuple(WorkloadChoice(**workload) for workload in data["workloads"]),
                    "crash": CrashPlan(**_stored(CrashPlan, data.get("crash") or {})),
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
        """All cells in execution order, which depends on plan and seed only."""
        shuffle = random.Random(self.seed)  # noqa: S311 - an order, not a secret
        position = 0
        for block, (repeat, workload, threads) in enumerate(self._blocks(shuffle)):
            rivals = [(target, variant) for target in self.targets for variant in self.variants]
            shuffle.shuffle(rivals)
            for target, variant in rivals:
                yield PlannedCell(position, block, target, variant, workload, threads, repeat)
                position += 1

    def trials(self) -> Iterator[PlannedTrial]:
        """All crash trials in execution order. Each has its own seed, drawn from the plan's."""
        draw = random.Random(self.seed + 1)  # noqa: S311 - an order, not a secret
        position = 0
        for repeat in range(1, max(self.crash.trials, self.crash.control_trials) + 1):
            due = self._due(repeat)
            draw.shuffle(due)
            for target, variant, kind in due:
                yield PlannedTrial(position, target, variant, kind, repeat, draw.randrange(1, 2**31))
                position += 1

    def _due(self, repeat: int) -> list[tuple[PlanTarget, Variant, str]]:
        """The trials of one repeat; none in a plan without trials."""
        asked = self._asked() if repeat <= self.crash.trials else []
        if not self.crash.trials or repeat > self.crash.control_trials:
            return asked
        boxes = [target for target in self.targets if target.is_sandbox]
        controls = [(target, variant, kind) for target in boxes for variant, kind in self.controls()]
        return asked + [control for control in controls if control not in asked]

    def _asked(self) -> list[tuple[PlanTarget, Variant, str]]:
        return [
            (target, variant, kind)
            for target in self.targets
            for variant in self.variants
            for kind in self.crash.kinds
            if target.is_sandbox != (kind in OF_ATTACHED)
            and (kind in FAULTS) == bool(variant.topology)
            and (kind not in OF_TWO_DISKS or variant.has_two_disks)
        ]

    def controls(self) -> list[tuple[Variant, str]]:
        """Of each family of topologies that is tried: its controls with the baseline, or with its first variant."""
        ranked, asked = self._baseline_first, {variant.name for _, variant, _ in self._asked()}
        tried: dict[str, Variant] = {}
        for variant in [one for one in ranked if one.name in asked] or ranked[:1]:
            tried.setdefault(family(variant.topology), variant)
        return [
            (variant, kind)
            for name, variant in tried.items()
            for kind in (CRASH_CONTROLS if name == ONE_SERVER else FAILOVER_CONTROLS)
        ]

    @property
    def _baseline_first(self) -> list[Variant]:
        return sorted(self.variants, key=lambda one: one.name != self.baseline)

    def _blocks(self, shuffle: random.Random) -> Iterator[tuple[int, WorkloadChoice, int]]:
        for repeat in range(1, self.repeats + 1):
            points = [(workload, threads) for workload in self.workloads for threads in self.threads]
            shuffle.shuffle(points)
            yield from ((repeat, workload, threads) for workload, threads in points)


def _stored(plan: type, data: Mapping[str, Any]) -> dict[str, Any]:
    """A plan has tuples instead of JSON's lists."""
    return {**data, **{one.name: one.stored(data[one.name]) for one in fields_of(plan) if one.name in data}}
