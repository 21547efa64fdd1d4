"""How much a load will write to a server's files: estimated before the start, and beside what was measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from dashboard.findings.point import Figures
from dashboard.installation.stored import read
from dashboard.records.experiments.models import Experiment, Run
from dashboard.records.servers.models import Server
from dashboard.text.numbers import duration, size
from workers.bench.plan import Plan, PlanTarget, WorkloadChoice
from workers.bench.workloads import OWN
from workers.errors import PlanError
from workers.transaction.read import read as read_declaration

NEWEST = 30  # earlier measurements that are asked


@dataclass(frozen=True)
class Assumed:
    """Commits per second, bytes that each writes, and the share of the binary log in them."""

    commits: int
    each: int
    share: float


# Without earlier measurements. Measured on MariaDB 10.11: an update by key writes 0.6 kB of redo log and 0.8 kB of
# binary log. Tables of a longer load are written too, in pages.
LEAST, MOST = Assumed(100, 1_000, 0.2), Assumed(10_000, 20_000, 0.5)
NOT_MEASURED = "this server has no earlier measurement of this file of an own transaction"
ROW_BYTES, BINLOG_ROW_BYTES = 1_000, 250  # of the table that is loaded first: row, redo log, doublewrite, binary log


@dataclass(frozen=True)
class WrittenBytes:
    total: float
    binlog: float

    @property
    def in_words(self) -> str:
        return f"{size(self.total)}, {size(self.binlog)} of it binary log"

    def plus(self, per_s: "WrittenBytes", seconds: float) -> "WrittenBytes":
        return WrittenBytes(self.total + per_s.total * seconds, self.binlog + per_s.binlog * seconds)


@dataclass(frozen=True)
class WrittenEstimate:
    """`basis`: how the range was worked out. `low`, `high` None: of an own transaction that was not measured before.
    `free_bytes`: at the last *Test connection*; None: not known."""

    server: str
    low: WrittenBytes | None
    high: WrittenBytes | None
    load_s: float
    basis: str
    free_bytes: int | None
    host: str = "server"  # of a sandbox: worker

    @property
    def says(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.server}: the written bytes are not estimated: {self.basis}. {self._room}"
        total, binlog = _range(self.low.total, self.high.total), _range(self.low.binlog, self.high.binlog)
        return (
            f"{self.server}: the measurements ({duration(self.load_s)} of load) will write {total} ({self.basis}). "
            f"A faster host writes more. {'' if self.host == 'worker' else f'Binary log in it: {binlog}. '}{self._room}"
        ).strip()

    @property
    def _room(self) -> str:
        if self.free_bytes is None:
            unknown = "The free space on the server's disk is not known: test the connection."
            return "" if self.host == "worker" else unknown
        room = f"{size(self.free_bytes)} of the {self.host}'s disk is free."
        enough = self.high is None or self.high.total < self.free_bytes
        return room if enough else f"{room} That may not be enough."


def _range(low: float, high: float) -> str:
    return f"about {size(low)}" if size(low) == size(high) else f"{size(low)} to {size(high)}"


Earlier = Sequence[tuple[WrittenBytes, int]]  # of each earlier measurement what it wrote per second, and its threads


def estimates(plan: Plan, before: datetime) -> dict[int, WrittenEstimate]:
    """By server, from measurements that were made before that time. Of a sandbox only with such measurements: it has no
    disk that people share."""
    found = {one.server_id: _earlier(plan, one.server_id, before) for one in plan.targets}
    told = [one for one in plan.targets if found[one.server_id] or not one.is_sandbox]
    return {one.server_id: _estimate(plan, one, found[one.server_id]) for one in told}


def measured(experiment: Experiment) -> dict[int, tuple[WrittenBytes, float]]:
    """By server: what its measurements wrote, and the seconds that they took."""
    found: dict[int, tuple[WrittenBytes, float]] = {}
    for run in Run.objects.of_done_cells().filter(cell__experiment=experiment).select_related("cell"):
        if rate := _rate(run):
            total, seconds = found.get(run.cell.server_id, (WrittenBytes(0, 0), 0.0))
            found[run.cell.server_id] = (total.plus(rate, run.elapsed_s), seconds + run.elapsed_s)
    return found


def written_lines(experiment: Experiment) -> list[str]:
    """Estimate and measurement of each server, in words."""
    told = measured(experiment)
    return [
        f"Estimated before: {one.says} Measured: {total.in_words}, in {duration(seconds)} without warm-up."
        for pk, one in estimates(experiment.as_plan(), experiment.created_at).items()
        if pk in told
        for total, seconds in [told[pk]]
    ]


def _estimate(plan: Plan, target: PlanTarget, earlier: Earlier) -> WrittenEstimate:
    load_s = plan.size / len(plan.targets) * (plan.warmup_s + plan.measure_s)
    shared = [one for one in plan.workloads if one.key != OWN]  # the own tables are filled before each measurement
    tables = plan.table_rows * len(shared) * len({variant.engine for variant in plan.variants})
    tables += _own_rows(plan) * plan.repeats * len(plan.threads) * len(plan.variants)
    filled = WrittenBytes(tables * ROW_BYTES, tables * BINLOG_ROW_BYTES)
    low, high, basis = _rates(plan, "sandbox" if target.is_sandbox else "server", earlier)
    server = Server.everything.filter(pk=target.server_id).first()
    answer = server.last_answer if server else None
    free = answer.known.free_bytes if answer else None
    host = "worker" if target.is_sandbox else "server"
    if not earlier and _own_file(plan):
        return WrittenEstimate(target.name, None, None, load_s, NOT_MEASURED, free, host)
    return WrittenEstimate(target.name, filled.plus(low, load_s), filled.plus(high, load_s), load_s, basis, free, host)


def _own_file(plan: Plan) -> str:
    """Of the own transaction; "" without one."""
    return next((one.params["file"] for one in plan.workloads if one.key == OWN), "")


def _own_rows(plan: Plan) -> int:
    """Rows of usual size that take as much as those that the own tables have at the beginning."""
    if not (file := _own_file(plan)):
        return 0
    try:
        own = read_declaration(file)
    except PlanError:  # a file of an older version is not run
        return 0
    each = ((table.rows, sum(own.values[name].bytes for name in table.fill.values())) for table in own.tables)
    return sum(rows * (1 + taken // ROW_BYTES) for rows, taken in each)


def _rates(plan: Plan, place: str, earlier: Earlier) -> tuple[WrittenBytes, WrittenBytes, str]:
    """Per second. `place`: "server" or "sandbox". More threads than before may commit that many times more at most."""
    if not earlier:
        low, high = (WrittenBytes(one.commits * one.each, one.commits * one.each * one.share) for one in (LEAST, MOST))
        said = f"{LEAST.commits:,} to {MOST.commits:,} commits per second of {LEAST.each:,} to {MOST.each:,} bytes"
        return low, high, f"assumed: {said}, because this server has no earlier measurement of this workload"
    tried = [threads for _, threads in earlier]
    more = max(1.0, max(plan.threads) / max(tried))
    totals, binlogs = [rate.total for rate, _ in earlier], [rate.binlog for rate, _ in earlier]
    count = f"{len(earlier)} earlier measurement{'' if len(earlier) == 1 else 's'}"
    threads = f"{min(tried)} to {max(tried)}" if min(tried) < max(tried) else str(max(tried))
    basis = f"estimated from {count} {'of this server' if place == 'server' else 'in sandboxes'} with {threads} threads"
    return (
        WrittenBytes(min(totals), min(binlogs)),
        WrittenBytes(max(totals) * more, max(binlogs) * more),
        f"{basis}, scaled to {max(plan.threads)} threads" if more > 1 else basis,
    )


def _earlier(plan: Plan, server_id: int, before: datetime) -> Earlier:
    labels = [workload.label for workload in plan.workloads]
    runs = Run.objects.of_done_cells().filter(
        cell__server=server_id, cell__workload__in=labels, started_at__lt=before, cell__experiment__deleted_at=None
    )
    newest = runs.select_related("cell__experiment").order_by("-started_at")[:NEWEST]
    same = [run for run in newest if _workload(run) in plan.workloads]
    own = [one.label for one in plan.workloads if one.key == OWN]
    if own and not any(run.cell.workload in own for run in same):
        return []
    return [(rate, run.cell.threads) for run in same if (rate := _rate(run))]


def _workload(run: Run) -> WorkloadChoice:
    """Its label alone is not enough: that of an own transaction is the title of its file."""
    return run.cell.experiment.as_plan().workload(run.cell.workload)


def _rate(run: Run) -> WrittenBytes | None:
    """Bytes per second; None: no source counted the redo log, or none the binary log."""
    best = {one.name: one.value for one in reversed(read(Figures, run.figures)) if one.value is not None}
    if not {"redo_bytes", "binlog_bytes"} <= set(best) or not run.elapsed_s:
        return None
    binlog, total = best["binlog_bytes"], best["redo_bytes"] + best.get("data_bytes", 0.0) + best["binlog_bytes"]
    return WrittenBytes(total / run.elapsed_s, binlog / run.elapsed_s)
