"""A worker on another host, which joins by a network that fails: what it measures is stored once, and nothing of it
stays behind."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from dashboard.local.processes import Child
from dashboard.records.fleet.models import DEAD_AFTER
from tests.real import two_hosts
from tests.real.local_home import eventually
from tests.real.test_worker import alive, descendants
from tests.real.two_hosts import LIMIT_S, Host, Lab

pytestmark = [pytest.mark.skipif(bool(two_hosts.why_not()), reason=two_hosts.why_not() or "-")]
PLAN = """
from dashboard.records.experiments import actions
from dashboard.records.servers.models import Server
from workers.bench import recipes
server, _ = Server.objects.get_or_create(name="box", kind="sandbox", build="system-mariadb", site="far")
said = {{"threads": "1", "repeats": "1", "warmup_s": "0", "measure_s": "{}", "table_rows": "500", "trials": "0"}}
plan = actions.plan_recipe(recipes.load("what-does-safety-cost"), [server], said)
print(actions.start(plan, None).pk)
"""
RESUME = """
from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment
actions.resume(Experiment.objects.get(pk={}), None)
"""
CELLS = 4
RUNS = """SELECT count(*), count(DISTINCT cell_id)
FROM experiments_run JOIN experiments_cell ON cell_id = experiments_cell.id WHERE experiment_id = {pk}"""
NOT_DONE = """SELECT string_agg(concat(position, ' ', state, ': ', error), '; ') FROM experiments_cell
WHERE experiment_id = {pk} AND state != 'done'"""
SHORTEN = """UPDATE experiments_experiment SET plan = jsonb_set(plan, '{{measure_s}}', '1')
WHERE id = {pk} RETURNING id"""
Join = Callable[[Host, str], Child]


@pytest.fixture(scope="module")
def lab(tmp_path_factory, sandbox_root) -> Iterator[Lab]:
    with ExitStack() as held:
        yield Lab(tmp_path_factory.mktemp("hosts"), sandbox_root, held)


@pytest.fixture
def join(lab) -> Iterator[Join]:
    """`join(host, site)`: a worker until the test is over."""
    with ExitStack() as held:
        yield lambda host, site: held.enter_context(lab.worker(host, site))
    lab.cable.mend()


@dataclass(frozen=True)
class Started:
    """An experiment of four cells in a sandbox of the far site."""

    lab: Lab
    pk: int

    def ask(self, question: str) -> tuple:
        [row] = self.lab.ask(question.format(pk=self.pk))
        return row

    def becomes(self, *states: str) -> None:
        self.lab.until(f"SELECT state FROM experiments_experiment WHERE id = {self.pk}", *((one,) for one in states))

    def is_measuring(self) -> None:
        self.lab.until(f"SELECT phase LIKE '%measuring%' FROM experiments_experiment WHERE id = {self.pk}", (True,))

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
    return Started(lab, int(lab.manage("shell", "-v", "0", "-c", PLAN.format(measure_s))))


def is_cleaned(lab: Lab, worker: Child) -> bool:
    """No sandbox and no process of a measurement is left, though its worker lives."""

    def is_clean() -> bool:
        return not list(lab.sandboxes(lab.far).glob("live/*")) and not alive(descendants(worker.pid))

    return bool(eventually(is_clean, LIMIT_S)) and worker.status is None


def test_a_worker_joins_and_takes_the_work_of_its_site(lab, join):
    join(lab.near, "local")
    far = join(lab.far, "far")
    start(lab, measure_s=1).is_done_once()
    assert lab.ask("SELECT host, site FROM fleet_worker ORDER BY host") == [("far", "far"), ("near", "local")]
    assert is_cleaned(lab, far)


def test_a_line_that_is_away_for_longer_than_silence_lasts(lab, join):
    """The near worker takes the experiment away. The far one comes back to find that, ends what it had begun, stores
    nothing more of it, and can go on as it is asked to."""
    join(lab.near, "local")
    far = join(lab.far, "far")
    experiment = start(lab, measure_s=600)
    experiment.is_measuring()
    lab.cable.cut()
    experiment.becomes("interrupted")
    assert experiment.leases() == (0,)
    lab.cable.mend()
    assert is_cleaned(lab, far), descendants(far.pid)
    experiment.becomes("interrupted")
    assert experiment.runs() == (0, 0)
    experiment.resume()
    experiment.is_done_once()


def test_a_line_that_is_away_for_longer_and_nobody_notices(lab, join):
    """Alone, the far worker finds out by its own clock: what it had begun is its own no more."""
    far = join(lab.far, "far")
    experiment = start(lab, measure_s=600)
    experiment.is_measuring()
    lab.cable.cut()
    time.sleep(DEAD_AFTER.total_seconds() * 2)
    lab.cable.mend()
    experiment.becomes("interrupted")
    assert is_cleaned(lab, far), descendants(far.pid)
    assert experiment.runs() == (0, 0) and experiment.leases() == (0,)
    experiment.resume()
    experiment.is_done_once()


def test_a_line_that_is_away_for_a_moment_loses_nothing(lab, join):
    """It is not noticed. (Where the machine stalls for longer than silence may last, it is interrupted, and goes on
    when it is asked to.)"""
    join(lab.far, "far")
    experiment = start(lab, measure_s=7)  # longer than the line is away
    experiment.is_measuring()
    lab.cable.cut()
    time.sleep(DEAD_AFTER.total_seconds() / 3)
    lab.cable.mend()
    experiment.becomes("done", "interrupted")
    if experiment.ask("SELECT state FROM experiments_experiment WHERE id = {pk}") == ("interrupted",):
        experiment.resume()
    experiment.is_done_once()


def test_a_redis_that_began_anew_while_the_line_was_away_is_heard(lab, join):
    """The worker's connection is one that only it knows of: nobody tells it that the other end is gone."""
    join(lab.far, "far")
    lab.cable.cut()
    lab.restart_redis()
    lab.cable.mend()
    start(lab, measure_s=1).is_done_once()
