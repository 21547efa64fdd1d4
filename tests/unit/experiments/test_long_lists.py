import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from dashboard.records.experiments import queries
from tests.markup import flat
from tests.unit.bench.plans import plan
from tests.unit.conducting import experiments as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def long():
    """1000 cells: one failed early, the 500th running."""
    made = make.experiment(make.attached(), cells=1000)
    made.plan = plan().as_dict()
    made.state = "running"
    made.save()
    made.cells.filter(position__lt=500).update(state="done")
    made.cells.filter(position=3).update(state="failed", error="It went wrong.")
    made.cells.filter(position=500).update(state="running")
    return made


def test_a_long_list_shows_failures_and_the_cells_near_the_present_one(long):
    positions = [cell.position for cell in queries.cells_to_show(long)]
    assert positions[:3] == [3, 480, 481]
    assert 500 in positions and len(positions) == 200


def test_a_short_one_is_shown_whole():
    short = make.experiment(make.attached(), cells=5)
    short.cells.update(state="interrupted")
    assert len(queries.cells_to_show(short)) == 5


def test_the_live_page_says_that_it_left_some_out(client_in, long, django_assert_max_num_queries):
    with django_assert_max_num_queries(15):
        page = client_in.get(reverse("experiments:show", args=[long.pk])).text
    assert "200 of 1,000: those that failed" in page
    assert "It went wrong." in page


def test_the_poll_asks_little_however_many_cells_there_are(client_in, long, django_assert_max_num_queries):
    with django_assert_max_num_queries(6):
        answer = client_in.get(reverse("experiments:progress", args=[long.pk])).json()
    assert (answer["total"], answer["done"], answer["failed"]) == (1000, 499, 1)


def test_crash_trials_are_not_done_before_they_are(client_in, long):
    """A full bar while crashes are still to come would mislead."""
    server = long.cells.first().server
    long.cells.update(state="done")
    for n in range(4):
        state = "done" if n < 1 else "waiting"
        long.trials.create(server=server, position=n, variant="1/1", kind="power-loss", repeat=n, seed=n, state=state)
    (row,) = queries.with_progress(queries.listed().filter(pk=long.pk))
    assert (row.total, row.done, row.failed, row.crashes) == (1004, 1001, 0, 4)
    for name, steps in (("home", "steps done"), ("experiments:list", "measurements and crash trials")):
        said = strip_tags(client_in.get(reverse(name)).text).split()
        assert f"1,001 of 1,004 {steps}" in " ".join(said)
    assert "4 crash trials" in flat(client_in.get(reverse("experiments:show", args=[long.pk])).text)
