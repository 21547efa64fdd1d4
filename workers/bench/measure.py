"""Measures one cell on a stage: settings, table, warm-up, then sysbench between two readings of the sources."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from workers.bench import sysbench
from workers.bench.load import Gather, IsCancelled, Load, LoadRequest, LoadResult, LoadSecond
from workers.bench.plan import Plan, PlannedCell
from workers.bench.stage import Stage
from workers.bench.workloads import WORKLOADS, own_transaction
from workers.errors import DurascopeError, LoadBrokeOff, LoadError, SandboxError, ServerError
from workers.host import environment
from workers.metrics import SOURCES
from workers.metrics.source import Reading, SourceSession
from workers.servers.limited import Connection

AGAIN = 2**30  # the seed of a second attempt differs by this bit


@dataclass(frozen=True)
class Listener:
    """Receives the progress: `activity` in words, `second` with (sample, warming). `cancelled` is polled."""

    activity: Callable[[str], None]
    second: Callable[[LoadSecond, bool], None]
    cancelled: Callable[[], bool]


@dataclass(frozen=True)
class Measurement:
    """The results of one cell. `missing`: source key -> why it has no figures."""

    started_at: datetime
    load: LoadResult
    readings: Mapping[str, Reading]
    missing: Mapping[str, str]
    effective: Mapping[str, str]
    load_average: float
    my_cnf: str


class LoadedTables:
    """The loaded tables of a stage: each shape is loaded once, for all cells that share it."""

    def __init__(self) -> None:
        self._shapes: set[tuple[str, str]] = set()

    def ensure(self, stage: Stage, request: LoadRequest, listener: Listener) -> None:
        workload = WORKLOADS[request.workload]
        shape = workload.shape(request.params)
        key = (request.schema, shape)
        if workload.refills or (key not in self._shapes and not stage.has_loaded(shape)):
            own = own_transaction(request.params)
            listener.activity(f"loading {own.rows if own else request.table_rows:,} rows for {workload.title}")
            sysbench.prepare(request, listener.cancelled)
            stage.keep(shape)
        self._shapes.add(key)
        if workload.grows:
            sysbench.reset(request)


def measure(
    stage: Stage,
    prepared: LoadedTables,
    plan: Plan,
    cell: PlannedCell,
    listener: Listener,
    gather: Gather | None = None,
) -> Measurement:
    """Run the cell. Raises LoadError, TogetherError, ServerError or Cancelled; the stage stays usable. Raises
    SandboxLost; the stage is to be closed. `gather` prepares several workers for the load (workers.together); None: one
    process here.

    A cell whose sysbench aborted is measured once more, and the output says so."""
    attempt = partial(_attempt, stage, prepared, plan, cell, listener, gather)
    seed = seed_of(plan, cell)
    try:
        return attempt(seed)
    except LoadBrokeOff as first:
        listener.activity("measuring again, because sysbench aborted")
        done = attempt(seed ^ AGAIN)
        return second_of(done, first)


def second_of(done: Measurement, first: DurascopeError) -> Measurement:
    """The measurement, with the failure before it in its output."""
    told = f"The first attempt failed: {first.message} This is the second.\n{done.load.output}"
    return replace(done, load=replace(done.load, output=told))


@contextmanager
def _telling_of_a_lost_server(stage: Stage) -> Iterator[None]:
    """A sandbox that ended shows as a refused connection or an aborted sysbench. Its own end is the reason."""
    try:
        yield
    except (LoadError, SandboxError, ServerError) as failure:
        if lost := stage.lost():
            raise lost from failure
        raise


def _attempt(
    stage: Stage,
    prepared: LoadedTables,
    plan: Plan,
    cell: PlannedCell,
    listener: Listener,
    gather: Gather | None,
    seed: int,
) -> Measurement:
    with _telling_of_a_lost_server(stage):
        return _measured(stage, prepared, plan, cell, listener, gather, seed)


def _measured(
    stage: Stage,
    prepared: LoadedTables,
    plan: Plan,
    cell: PlannedCell,
    listener: Listener,
    gather: Gather | None,
    seed: int,
) -> Measurement:
    prepared.ensure(stage, _request(stage, plan, cell, seed), listener)
    effective = stage.apply(cell.variant)
    stage.settle()
    request = _request(stage, plan, cell, seed)  # again: a restarted server may have another address
    with (gather or _alone)(request, listener.cancelled) as load_from:
        if plan.warmup_s:
            listener.activity("warming up")
            warm = replace(request, seconds=plan.warmup_s, seed=request.seed + 1)
            sysbench.run(warm, lambda second: listener.second(second, True), listener.cancelled)
        load_average = environment.load_average()
        with _Watch(stage, plan.sources) as watch:
            listener.activity("measuring")
            started_at = datetime.now(UTC)
            load = load_from(request, lambda second: watch.tick(second, listener), listener.cancelled)
            readings = watch.end()
    return Measurement(started_at, load, readings, watch.missing, effective, load_average, stage.my_cnf())


def _alone(request: LoadRequest, cancelled: IsCancelled) -> AbstractContextManager[Load]:
    return nullcontext(sysbench.run)


def _request(stage: Stage, plan: Plan, cell: PlannedCell, seed: int) -> LoadRequest:
    workload = WORKLOADS[cell.workload.key]
    return LoadRequest(
        target=stage.target,
        schema=stage.schema(cell.variant.engine),
        workload=cell.workload.key,
        params=workload.check(cell.workload.params),
        engine=cell.variant.engine,
        table_rows=plan.table_rows,
        threads=cell.threads,
        seconds=plan.measure_s,
        seed=seed,
    )


def seed_of(plan: Plan, cell: PlannedCell) -> int:
    """sysbench's seed, odd; the even one after it is the warm-up's. Every call has its own: with an equal seed a call
    repeats the same updates, and an update that changes nothing commits nothing."""
    return (plan.seed + cell.position) % 2**30 * 2 + 1


class _Watch:
    """The sources of a run. Each has its own connection, opened before the load: so it waits for no free connection,
    and connecting is not measured. The failure of a source is recorded, and not fatal."""

    def __init__(self, stage: Stage, keys: Iterable[str]) -> None:
        chosen = tuple(keys) or tuple(SOURCES)
        self._stage = stage
        self._wanted = [key for key in SOURCES if key in chosen]
        self._sessions: dict[str, SourceSession] = {}
        self._connections: dict[str, Connection] = {}
        self._when = "before"
        self.missing: dict[str, str] = {}

    def __enter__(self) -> "_Watch":
        for key in self._wanted:
            with self._guarded(key):
                self._open(key)
        self._each(lambda session: session.begin())
        self._when = "during"
        return self

    def _open(self, key: str) -> None:
        subject = self._stage.subject()
        self._connections[key] = subject.connection
        reason = SOURCES[key].missing(subject)
        if reason:
            self.missing[key] = reason
            self._connections.pop(key).close()
        else:
            self._sessions[key] = SOURCES[key].open(subject)

    def tick(self, second: LoadSecond, listener: Listener) -> None:
        listener.second(second, False)
        self._each(lambda session: session.tick())

    def end(self) -> dict[str, Reading]:
        readings: dict[str, Reading] = {}
        for key, session in list(self._sessions.items()):
            with self._guarded(key):
                readings[key] = session.end()
        return readings

    def __exit__(self, *_: object) -> None:
        self._sessions.clear()  # closes their files; the traceback of a failure may keep this object
        for connection in self._connections.values():
            connection.close()

    def _each(self, act: Callable[[SourceSession], None]) -> None:
        for key, session in list(self._sessions.items()):
            with self._guarded(key):
                act(session)

    @contextmanager
    def _guarded(self, key: str) -> Iterator[None]:
        try:
            yield
        except Exception as failure:  # a failed source loses its figures, never the measurement
            said = failure.message if isinstance(failure, DurascopeError) else f"{type(failure).__name__}: {failure}"
            self.missing[key] = f"failed {self._when} the run: {said}"
            self._sessions.pop(key, None)
