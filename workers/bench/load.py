"""Request and result of a sysbench measurement. `sysbench.py` runs it."""

import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from workers.servers.target import Target


@dataclass(frozen=True)
class LoadRequest:
    """One call of sysbench on one schema. `params`: of the workload, validated. For a part of a load
    (workers.bench.merge): `first_thread` counts the threads of earlier parts, `all_threads` those of all parts."""

    target: Target
    schema: str
    workload: str  # a key of workloads.WORKLOADS
    params: Mapping[str, str]
    engine: str
    table_rows: int
    threads: int
    seconds: int
    seed: int
    first_thread: int = 0
    all_threads: int = 0  # 0: there are no other parts


@dataclass(frozen=True)
class LoadSecond:
    """A report of sysbench: `t_s` seconds since the start, rates per second.

    `p95_ms`: None: no transaction ended in this second, or it is the computed last second.
    """

    t_s: float
    tps: float
    qps: float
    writes: float
    errors: float
    p95_ms: float | None


@dataclass(frozen=True)
class LoadResult:
    """A finished measurement. `histogram`: (upper edge in ms, number of transactions), ascending."""

    argv: tuple[str, ...]  # without the password
    transactions: int
    rows_per_transaction: int
    elapsed_s: float
    seconds: tuple[LoadSecond, ...]
    histogram: tuple[tuple[float, int], ...]
    latency_avg_ms: float
    latency_max_ms: float
    errors: int
    output: str  # raw, as printed
    percentiles_ms: Mapping[str, float] = field(default_factory=dict)  # p50 p95 p99 p99.9


OnSecond = Callable[[LoadSecond], None]
IsCancelled = Callable[[], bool]
Load = Callable[[LoadRequest, OnSecond, IsCancelled], LoadResult]
# Prepares the processes that generate the load, and ends them afterwards.
Gather = Callable[[LoadRequest, IsCancelled], AbstractContextManager[Load]]

ASK_EVERY_S = 0.5
Answer = TypeVar("Answer")


class AskedSeldom(Generic[Answer]):
    """A condition that ends a load: asked seldom, and never again once it was true."""

    def __init__(
        self,
        ask: Callable[[], Answer | None],
        clock: Callable[[], float] = time.monotonic,
        every_s: float = ASK_EVERY_S,
    ) -> None:
        self._ask, self._clock, self._every_s = ask, clock, every_s
        self._asked_at = float("-inf")
        self.answer: Answer | None = None

    def __call__(self) -> Answer | None:
        if not self.answer and self._clock() - self._asked_at > self._every_s:
            self._asked_at = self._clock()
            self.answer = self._ask()
        return self.answer
