"""A sandbox whose server is gone is made anew, once for each cell."""

import pytest

from dashboard.records.experiments.models import Run
from dashboard.records.servers.models import Server
from tests.unit.bench.plans import plan
from tests.unit.conducting import experiments as make
from tests.unit.conducting.experiments import Stage
from workers.bench.plan import PlanTarget
from workers.conducting.conduct import conduct
from workers.errors import SandboxLost

pytestmark = pytest.mark.django_db
LOST = SandboxLost("The server of the sandbox box is gone: killed. Its error log ends with: bye", "Resume.")


class Measured:
    """The stage of each attempt; the first ones fail."""

    def __init__(self, fails):
        self.on, self.fails = [], fails

    def __call__(self, stage, *_):
        self.on.append(stage)
        if len(self.on) <= self.fails:
            raise LOST
        return make.measurement()


@pytest.fixture
def box():
    return Server.objects.create(name="box", kind="sandbox", build="system-mariadb")


def conducted(box, fails, **changes):
    """The ended experiment of two cells, and the attempts."""
    Stage.closed.clear()
    measured = Measured(fails)
    stored = make.planned(plan(targets=(PlanTarget(box.pk, box.name),), **changes))
    ports = make.ports(measure=measured, find=lambda key: None)
    return conduct(stored.pk, make.worker(), ports), measured.on


def test_a_lost_sandbox_is_made_anew_and_the_output_says_so(box):
    ended, on = conducted(box, fails=1)
    assert (ended.state, ended.error) == ("done", "")
    first, *others = on
    assert len(others) == 2 and {*others} == {others[0]} and first is not others[0]
    assert len(Stage.closed) == 3, "the lost one when it was lost, and both at the end"
    outputs = [run.evidence.output for run in Run.objects.order_by("pk")]
    assert "Its error log ends with: bye This is the second." in outputs[0] and not outputs[1]


def test_a_sandbox_that_is_lost_again_ends_the_experiment_with_the_reason(box):
    ended, on = conducted(box, fails=2)
    assert (ended.state, ended.error, ended.fix, len(on)) == ("failed", LOST.message, LOST.fix, 2)


def test_a_load_of_several_workers_is_not_repeated(box):
    ended, on = conducted(box, fails=1, load_workers=2)
    assert (ended.state, ended.error, len(on)) == ("failed", LOST.message, 1)
