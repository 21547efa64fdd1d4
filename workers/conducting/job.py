"""One claimed experiment while it runs: what every step of it is given. Nothing here changes but the database."""

import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial

from django.db.models import Manager

from dashboard.installation.log_lines import about
from dashboard.installation.retry import retried
from dashboard.records.experiments import claiming, lifecycle
from dashboard.records.experiments.claiming import Row
from dashboard.records.experiments.live import LiveWriter
from dashboard.records.experiments.models import Cell, Experiment, Trial
from dashboard.records.experiments.rights import why_not_run
from dashboard.records.fleet.models import Worker
from dashboard.records.servers.models import Server
from workers.bench.load import AskedSeldom
from workers.bench.measure import Measurement
from workers.bench.plan import Plan, PlannedCell
from workers.bench.stage import Stage
from workers.bench.stage_key import StageKey
from workers.crash.setup_and_result import TrialResult
from workers.errors import Cancelled, DurascopeError, PlanError
from workers.guardrails.limit import Trip
from workers.guardrails.watch import Watch
from workers.sandbox.builds import Build
from workers.topology.setup_and_result import FailoverResult
from workers.upkeep import conducting_now

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Ports:
    """What a worker uses beside the database. `watch`: guardrails of one attached server; `finish` stores the end of
    an experiment."""

    find: Callable[[str], Build]
    stage: Callable[["Job", StageKey], Stage]
    watch: Callable[["Job", Server, Stage], AbstractContextManager[None]]
    measure: Callable[..., Measurement]
    crash: Callable[..., TrialResult]
    fail_over: Callable[..., FailoverResult]
    tell: Callable[[int, str], LiveWriter]
    finish: Callable[..., bool]
    stopping: Callable[[], bool]
    clock: Callable[[], float]
    sleep: Callable[[float], None]


@dataclass(frozen=True)
class Job:
    experiment: Experiment
    worker: Worker
    plan: Plan
    servers: Mapping[int, Server]
    ports: Ports
    # Those of the attached servers under load (workers.conducting.guarding), by the server's name.
    watches: dict[str, Watch] = field(default_factory=dict)

    @cached_property
    def cells(self) -> Mapping[int, PlannedCell]:
        return {cell.position: cell for cell in self.plan.cells()}

    def say(self, activity: str) -> None:
        lifecycle.say(self.experiment, activity)

    def require_claim(self) -> None:
        """Comes before each change of a server. Raises Taken when the experiment is another worker's by now."""
        claiming.require_claim(self.experiment)

    @retried
    def must_be_allowed(self) -> None:
        """Comes before the first step and before each cell and trial: whoever queued it may have lost the right."""
        if lost := why_not_run(self.experiment):
            fix = "The measurements are kept. Another operator can resume the experiment with their own rights."
            raise PlanError(lost, fix)

    def cancelled(self) -> bool:
        """Whether to stop: somebody asked for it, the worker ends, a limit was passed, or the experiment was taken."""
        return self.by_itself or bool(self._cancelled())

    @property
    def by_itself(self) -> bool:
        """Whether this worker must stop, though nobody asked for it."""
        must_end = bool(conducting_now.must_end(self.experiment.pk))
        return must_end or self.ports.stopping() or self.trip is not None

    @property
    def trip(self) -> tuple[str, Trip] | None:
        """The server of which a limit was passed, and the limit."""
        return next(((name, trip) for name, watch in self.watches.items() if (trip := watch.trip)), None)

    @cached_property
    def _cancelled(self) -> AskedSeldom[bool]:
        return AskedSeldom(partial(lifecycle.is_cancelled, self.experiment), self.ports.clock)

    def next(self, rows: Manager[Row]) -> Row | None:
        """The next waiting one, claimed. Raises PlanError when whoever queued it has lost the right."""
        if claiming.waits(rows.all()):
            self.must_be_allowed()
        return claiming.claim(rows.all(), self.experiment)

    @contextmanager
    def ends(self, row: Row, *fatal: type[DurascopeError]) -> Iterator[None]:
        """A claimed row that gets no result is ended with the reason. Only Cancelled and what is `fatal` goes on."""
        with about(**{str(row._meta.model_name): row.pk}):  # cell or trial
            try:
                yield
                log.info("done: %s", row.variant)
            except Cancelled:
                claiming.end(row, self.stopped_as)
                raise
            except DurascopeError as failure:
                log.warning("failed: %s: %s", row.variant, failure)
                claiming.end(row, Cell.State.FAILED, failure)
                if isinstance(failure, fatal):
                    raise

    @property
    def stopped_as(self) -> str:
        """The state of an experiment, cell or trial that was stopped."""
        return Experiment.State.INTERRUPTED if self.by_itself else Experiment.State.CANCELLED

    @retried
    def stage_keys(self, rows: Manager[Cell] | Manager[Trial]) -> list[StageKey]:
        """Those on which something is still to be done, each once."""
        return list(dict.fromkeys(map(self.stage_key, rows.filter(state=Cell.State.WAITING))))

    def stage_key(self, row: Cell | Trial) -> StageKey:
        return StageKey.of(row.server_id, self.servers[row.server_id].build, self.plan.variant(row.variant))

    def title(self, key: StageKey) -> str:
        server = self.servers[key.server_id]
        return key.titled(server.name, server.build)
