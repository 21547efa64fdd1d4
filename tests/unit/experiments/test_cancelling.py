import pytest

from dashboard.records.audit.models import Event
from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment
from tests.unit.conducting import experiments as make

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("state", "after", "asked", "told"),
    [
        ("queued", "cancelled", True, 1),
        ("running", "running", True, 1),
        ("done", "done", False, 0),
        ("failed", "failed", False, 0),
    ],
)
def test_a_cancellation_is_recorded_once_and_only_for_an_unfinished_experiment(state, after, asked, told):
    experiment = make.experiment(make.attached())
    Experiment.objects.filter(pk=experiment.pk).update(state=state)
    for _ in range(2):
        actions.cancel(experiment, None)
    experiment.refresh_from_db()
    assert (experiment.state, experiment.cancel_asked) == (after, asked)
    assert Event.objects.filter(did="cancelled").count() == told
