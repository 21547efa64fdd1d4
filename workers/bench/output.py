"""The output of sysbench with our Lua hooks (`lua/report.lua`), read line by line."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from workers.bench import histogram
from workers.bench.load import LoadSecond

LONGEST_LINE = 400  # a FATAL line holds the whole statement: up to 200 KB
LEAST_SECOND_S = 0.5  # a shorter rest is not a missing second
MOST_LINES = 5000  # 1024 failing threads print three lines each


@dataclass(frozen=True)
class Total:
    """The last report: counts over the whole run, latencies in milliseconds."""

    elapsed_s: float
    transactions: int
    reads: int
    writes: int
    other: int
    errors: int
    reconnects: int
    latency_avg_ms: float
    latency_max_ms: float


class SysbenchOutput:
    """Takes lines as they arrive. Other lines than reports are kept as text and never an error."""

    def __init__(self) -> None:
        self.seconds: list[LoadSecond] = []
        self.total: Total | None = None
        self._text: list[str] = []
        self._buckets: list[str] = []

    def take(self, line: str) -> LoadSecond | None:
        """The second on this line, if it is one."""
        if histogram.is_bucket(line):
            self._buckets.append(line)
            return None
        if len(self._text) < MOST_LINES:
            self._text.append(line[:LONGEST_LINE])
        report = _report(line)
        self.total = _total(report) or self.total
        second = _second(report)
        if second:
            self.seconds.append(second)
        return second

    @property
    def series(self) -> tuple[LoadSecond, ...]:
        """All seconds of a finished run, with the last one, which sysbench often does not print."""
        last = _last(self.seconds, self.total) if self.total else None
        return (*self.seconds, *([last] if last else []))

    @property
    def text(self) -> str:
        """As printed, without the histogram's bars (they are in `histogram`) and with long lines cut."""
        return "\n".join(self._text).strip() + "\n"

    @property
    def histogram(self) -> histogram.Buckets:
        return histogram.read(self._buckets)


def _report(line: str) -> dict[str, Any]:
    if not line.startswith("{"):
        return {}
    try:
        report = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return report if isinstance(report, dict) else {}


def _second(report: dict[str, Any]) -> LoadSecond | None:
    fields = ("t_s", "tps", "qps", "writes", "errors", "p95_ms")
    if report.get("report") != "second" or not all(_is_figure(report.get(name)) for name in fields):
        return None
    second = LoadSecond(**{name: float(report[name]) for name in fields})
    # Without a transaction in this second, sysbench prints its smallest bucket.
    return second if second.tps else replace(second, p95_ms=None)


def _last(seconds: list[LoadSecond], total: Total) -> LoadSecond | None:
    """The last second, if sysbench did not print it: the total less all other seconds."""
    spans = [after.t_s - before for before, after in zip([0.0, *(one.t_s for one in seconds)], seconds, strict=False)]
    rest_s = total.elapsed_s - sum(spans)
    if rest_s < LEAST_SECOND_S:
        return None

    def rate(count: int, per_second: Callable[[LoadSecond], float]) -> float:
        told = sum(per_second(second) * span for second, span in zip(seconds, spans, strict=True))
        return max(0.0, (count - told) / rest_s)

    queries = total.reads + total.writes + total.other
    return LoadSecond(
        t_s=total.elapsed_s,
        tps=rate(total.transactions, attrgetter("tps")),
        qps=rate(queries, attrgetter("qps")),
        writes=rate(total.writes, attrgetter("writes")),
        errors=rate(total.errors, attrgetter("errors")),
        p95_ms=None,
    )


def _total(report: dict[str, Any]) -> Total | None:
    counts = ("transactions", "reads", "writes", "other", "errors", "reconnects")
    times = ("elapsed_s", "latency_avg_ms", "latency_max_ms")
    if report.get("report") != "total" or not all(_is_figure(report.get(name)) for name in (*counts, *times)):
        return None
    elapsed_s, average_ms, longest_ms = (float(report[name]) for name in times)
    transactions, reads, writes, other, errors, reconnects = (int(report[name]) for name in counts)
    return Total(elapsed_s, transactions, reads, writes, other, errors, reconnects, average_ms, longest_ms)


def _is_figure(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e18 and math.isfinite(value)
