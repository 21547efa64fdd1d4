"""A worker on another host, which joins by a network that fails: what it measures is stored once, and nothing of it
stays behind."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from dashboard.local.processes import Child
from dashboard.records.fleet.models import DEAD_AFTER
from tests.real import two_hosts
from tests.real.local_home import eventually
from tests.real.slow import SLOW
from tests.real.test_worker import alive, descendants
from tests.real.two_hosts import LIMIT_S, Lab

pytestmark = [pytest.mark.skipif(bool(two_hosts.why_not()), reason=two_hosts.why_not() or "-")]
PLAN = """
from dashboard.records.experiments import actions
from dashboard.records.servers.models import Server
from workers.bench.plan import Plan, PlanTarget, Variant, WorkloadChoice
server, _ = Server.objects.get_or_create(name="box", kind="sandbox", build="system-mariadb", site="far")
plan = Plan(
    name="far", targets=(PlanTarget(server.pk, server.name, server.is_sandbox),), variants=(Variant("slow", {}),),
    workloads=(WorkloadChoice("u", "update-by-key", {{}}),), threads=(1,), warmup_s=0, table_rows=100, seed=1,
    measure_s={}, repeats={},
)
experiment = actions.create(plan, None)
actions.notify_workers(experiment.pk)
print(experiment.pk)
"""
RESUME = """
from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment
actions.resume(Experiment.objects.get(pk={}), None)
"""
CELLS = 2
NOT_DONE = """SELECT string_agg(concat(position, ' ', state, ': ', error), '; ') FROM experiments_cell
WHERE experiment_id = {pk} AND state != 'done'"""
SHORTEN = """UPDATE experiments_experiment SET plan = jsonb_set(plan, '{{measure_s}}', '1')
WHERE id = {pk} RETURNING id"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory, sandbox_root) -> Iterator[Lab]:
    with ExitStack() as held:
        yield Lab(tmp_path_factory.mktemp("hosts"), sandbox_root, held)


@pytest.fixture(scope="module")
def far(lab) -> Iterator[Child]:
    """The worker of the far site. It lives through every test: when it was taken for dead, it goes on as a new row."""
    with lab.worker(lab.far, "far") as worker:
        yield worker


@pytest.fixture
def near(lab) -> Iterator[Child]:
    with lab.worker(lab.near, "local") as worker:
        yield worker


@pytest.fixture(autouse=True)
def whole_cable(lab) -> Iterator[None]:
    yield
    lab.cable.join()


@dataclass(frozen=True)
class Started:
    """An experiment of two cells in a sandbox of the far site."""

    lab: Lab
    pk: int

    def ask(self, question: str) -> tuple:
        [row] = self.lab.ask(question.format(pk=self.pk))
        return row

    def becomes(self, *states: str) -> None:
        self.lab.until(f"SELECT state FROM experiments_experiment WHERE id = {self.pk}", *((one,) for one in states))

    def is_measuring(self) -> None:
        self.lab.until(f"SELECT activity LIKE '%measuring%' FROM experiments_experiment WHERE id = {self.pk}", (True,))

    def runs(self) -> tuple[int, int]:
        """All, and of how many cells."""
        cells = "experiments_cell ON cell_id = experiments_cell.id"
        return self.ask(
            f"SELECT count(*), count(DISTINCT cell_id) FROM experiments_run JOIN {cells} WHERE experiment_id = {{pk}}"
        )

    def leases(self) -> tuple[int]:
        return self.ask("SELECT count(*) FROM holds_hostlease")

    def resume(self) -> None:
        self.ask(SHORTEN)
        self.lab.manage("shell", "-v", "0", "-c", RESUME.format(self.pk))

    def is_done_once(self) -> None:
        """Every cell has one run, measured over there, and nothing is held any more."""
        self.becomes("done")
        assert self.ask(NOT_DONE) == (None,)
        assert self.runs() == (CELLS, CELLS) and self.leases() == (0,)
        worker = "fleet_worker ON worker_id = fleet_worker.id"
        assert self.ask(f"SELECT host FROM experiments_experiment e JOIN {worker} WHERE e.id = {{pk}}") == ("far",)


def start(lab: Lab, measure_s: int) -> Started:
    return Started(lab, int(lab.manage("shell", "-v", "0", "-c", PLAN.format(SLOW, measure_s, CELLS))))


def is_cleaned(lab: Lab, worker: Child) -> bool:
    """No sandbox and no process of a measurement is left, though its worker lives."""

    def is_clean() -> bool:
        return not list(lab.sandboxes(lab.far).glob("live/*")) and not alive(descendants(worker.pid))

    return bool(eventually(is_clean, LIMIT_S)) and worker.status is None


def test_the_worker_of_its_site_measures_until_the_line_is_cut_and_again_once_it_is_resumed(lab, far, near):
    """While the line is cut, the near worker interrupts the experiment. The far one comes back, ends its load and
    stores nothing of it."""
    assert lab.ask("SELECT host, site FROM fleet_worker ORDER BY host") == [("far", "far"), ("near", "local")]
    experiment = start(lab, measure_s=600)
    experiment.is_measuring()
    lab.cable.cut()
    experiment.becomes("interrupted")
    assert experiment.leases() == (0,)
    lab.cable.join()
    assert is_cleaned(lab, far), descendants(far.pid)
    experiment.becomes("interrupted")
    assert experiment.runs() == (0, 0)
    experiment.resume()
    experiment.is_done_once()
    assert is_cleaned(lab, far), descendants(far.pid)


def test_a_worker_that_is_alone_behind_a_cut_line_gives_its_experiment_up(lab, far):
    """Its own clock tells it that the experiment is no longer its own."""
    experiment = start(lab, measure_s=600)
    experiment.is_measuring()
    lab.cable.cut()
    time.sleep(DEAD_AFTER.total_seconds() * 1.3)  # the last heartbeat may have come just before
    lab.cable.join()
    experiment.becomes("interrupted")
    assert is_cleaned(lab, far), descendants(far.pid)
    assert experiment.runs() == (0, 0) and experiment.leases() == (0,)
    experiment.resume()
    experiment.is_done_once()


def test_a_line_that_is_cut_for_a_moment_loses_nothing(lab, far):
    """It is not noticed. (Where the machine stalls for longer than silence may last, the experiment is interrupted, and
    goes on when it is resumed.)"""
    experiment = start(lab, measure_s=7)  # longer than the line is cut
    experiment.is_measuring()
    lab.cable.cut()
    time.sleep(DEAD_AFTER.total_seconds() / 3)
    lab.cable.join()
    experiment.becomes("done", "interrupted")
    if experiment.ask("SELECT state FROM experiments_experiment WHERE id = {pk}") == ("interrupted",):
        experiment.resume()
    experiment.is_done_once()


def test_a_worker_hears_a_redis_that_was_restarted_while_the_line_was_cut(lab, far):
    """Only the worker knows of its connection: nobody tells it that the other end is gone."""
    lab.cable.cut()
    lab.restart_redis()
    lab.cable.join()
    start(lab, measure_s=1).is_done_once()
