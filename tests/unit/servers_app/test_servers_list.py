"""The list of servers: last test, last experiment, and a number of queries that does not grow."""

from django.utils import timezone

from dashboard.records.experiments.models import Experiment
from dashboard.records.servers import queries
from dashboard.records.servers.models import Preflight, Server


def test_the_list_shows_the_last_test_and_the_last_experiment_of_a_server(server):
    for number, outcome in enumerate(["passed", "failed"]):
        experiment = Experiment.objects.create(name=f"experiment {number}", plan={}, seed=1)
        experiment.cells.create(server=server, position=0, block=0, variant="v", workload="w", threads=1, repeat=0)
        check = {"key": "reach", "title": "Reachable", "outcome": outcome, "says": "", "fix": ""}
        Preflight.objects.create(server=server, state="done", done_at=timezone.now(), checks=[check])
    Preflight.objects.create(server=server)
    (line,) = queries.lines(Server.objects.all())
    assert line.preflight.outcome == "failed"
    assert line.experiment.name == "experiment 1"


def test_the_list_asks_three_questions_however_many_servers(db, django_assert_num_queries):
    experiment = Experiment.objects.create(name="cost", plan={}, seed=1)
    for number in range(20):
        box = Server.objects.create(name=f"box {number}", kind="sandbox", build="b")
        Preflight.objects.create(server=box, state="done", done_at=timezone.now())
        experiment.cells.create(server=box, position=number, block=0, variant="v", workload="w", threads=1, repeat=0)
    with django_assert_num_queries(3):
        assert [line.experiment for line in queries.lines(Server.objects.all())] == [experiment] * 20


def test_the_list_opens_with_all_kinds_of_servers(client_in, server, sandbox):
    shown = client_in.get("/servers/").content.decode()
    assert "never" in shown and "not needed" in shown and "db.example.org:3306" in shown
