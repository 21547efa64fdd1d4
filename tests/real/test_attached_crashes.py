"""An owner's server through the product: registered, marked expendable and planned on the pages, crashed by a worker.

The owner's server is a real one; what a person does is posted as a browser would.
"""

from dataclasses import replace

import pytest

from dashboard.records.audit.models import Event
from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment
from dashboard.records.holds.models import HostLease
from dashboard.records.servers.models import Preflight, Server
from tests.real.owned import end, owned
from tests.real.slow import SLOW
from tests.real.trials import forgetful, wait_for_unflushed
from workers import tasks
from workers.celery import app
from workers.conducting.conduct import PORTS, conduct
from workers.conducting.job import Ports
from workers.sandbox import options
from workers.servers import ask
from workers.servers.connection import connect
from workers.upkeep import restores
from workers.upkeep.heartbeat import Heartbeat

NAME = "Theirs"
SETTINGS = SLOW | forgetful()
PLAN = {
    "name": "Does it survive?", "variants": ["0/1"], "binlog": "keep", "workloads": ["update-by-key"], "threads": "1",
    "repeats": "1", "warmup_s": "0", "measure_s": "1", "table_rows": "100", "trials": "1",
    "kinds": ["attached-expendable"], "clients": "4", "load_s": "0.8",
}  # fmt: skip


@pytest.fixture
def worker(transactional_db, monkeypatch):
    """The worker that conducts; no task reaches another one."""
    monkeypatch.setattr(app, "send_task", lambda *_, **__: None)
    heartbeat = Heartbeat()
    monkeypatch.setattr(tasks, "heartbeat", heartbeat)
    yield heartbeat.start()
    heartbeat.stop()


@pytest.fixture(scope="module")
def known(make_sandbox):
    with make_sandbox(SETTINGS, name="theirs", trace=False) as running, owned(running) as known:
        yield known


@pytest.fixture
def theirs(known):
    """Up, by nobody's command but ours: a test that crashed it left another process."""
    if not known.server.running:
        end(known.server)
        known.server.restart(SETTINGS)
    return known


@pytest.fixture
def server(client_in, worker, theirs):
    """Registered and tested on the pages."""
    target = theirs.server.target
    said = {"name": NAME, "host": target.host, "port": target.port, "user": target.user, "password": target.password}
    client_in.post("/servers/register/", said | {"tls": "preferred", "label": "test"})
    made = Server.objects.get(name=NAME)
    client_in.post(f"/servers/{made.pk}/test/")
    tasks.preflight(Preflight.objects.get(server=made).pk)
    return made


def mark(client, server, theirs, crash, start):
    page = f"/servers/{server.pk}/expendable/"
    index = theirs.server.datadir / f"{options.BINLOG_BASE}.index"
    said = {"crash": "\n".join(crash), "start": "\n".join(start), "binlog_index": str(index)}
    client.post(page, said | {"typed_name": NAME})
    server.refresh_from_db()
    assert server.expendable


@pytest.fixture
def marked(client_in, server, theirs):
    mark(client_in, server, theirs, theirs.crash, theirs.start)
    return server


def plan(client, server, **changes) -> Experiment:
    answer = client.post("/experiments/new/", PLAN | {"servers": [server.pk]} | changes)
    assert answer.status_code == 302, answer.content.decode()
    return Experiment.objects.get()


def run(experiment: Experiment, worker, ports: Ports = PORTS) -> Experiment:
    found = conduct(experiment.pk, worker, ports)
    assert not HostLease.objects.exists()
    return found


def ours_on(theirs) -> list:
    with connect(theirs.server.target) as link:
        return ask.rows(link, "SHOW SCHEMAS LIKE 'durascope\\_%%'")


def pending(server):
    return server.pending_restores.filter(restored_at=None)


def did(what: str):
    return Event.objects.filter(did=what)


def crash_unflushed(setup, tell, cancelled):
    """The crash of PORTS, of a server that holds commits which it has not flushed."""
    attached = setup.attached

    def permit() -> None:
        attached.permit()
        wait_for_unflushed(attached.target)

    return PORTS.crash(replace(setup, attached=replace(attached, permit=permit)), tell, cancelled)


LOSING = replace(PORTS, crash=crash_unflushed)


def test_a_marked_server_is_crashed_judged_and_put_back(client_in, marked, worker, theirs, admin):
    experiment = run(plan(client_in, marked), worker, LOSING)
    assert (experiment.state, experiment.error) == ("done", "")
    trial = experiment.trials.get()
    assert (trial.state, trial.verdict, trial.error) == ("done", "invalid", "")
    assert trial.lost_engine > 0 == trial.lost_binlog
    assert trial.acknowledged >= trial.lost_engine
    assert {check["key"] for check in trial.evidence.data["checks"]} >= {"lost-engine", "lost-binlog", "binlog-only"}
    assert ours_on(theirs) == []
    assert {one.kind for one in marked.pending_restores.all()} == {"schema", "start"}
    assert not pending(marked).exists()
    event = did("crashed").get()
    assert (event.what, event.name) == (NAME, admin.username)
    assert event.detail == {"experiment": experiment.pk, "trial": trial.pk, "command": list(theirs.crash)}

    shown = client_in.get(f"/results/trials/{trial.pk}/").content.decode()
    assert "This crash by the owner&#x27;s command took" in shown and "from InnoDB" in shown
    matrix = client_in.get(f"/results/{experiment.pk}/").content.decode()
    assert "1 of 1" in matrix and "self-test not run" in matrix


def test_a_server_that_is_not_marked_expendable_is_in_no_plan(client_in, server):
    answer = client_in.post("/experiments/new/", PLAN | {"servers": [server.pk]})
    assert answer.status_code == 422
    assert "has not marked it expendable" in answer.content.decode()
    assert not Experiment.objects.exists()


def test_production_is_not_planned_even_when_the_load_is_confirmed(client_in, server):
    Server.objects.update(label="production")
    answer = client_in.post("/experiments/new/", PLAN | {"servers": [server.pk], "production_confirmed": "on"})
    assert answer.status_code == 422
    assert "has not marked it expendable" in answer.content.decode()
    assert not Experiment.objects.exists()


def test_the_mark_may_be_taken_back_after_the_planning(client_in, marked, worker, theirs):
    experiment = plan(client_in, marked)
    client_in.post(f"/servers/{marked.pk}/expendable/withdraw/")
    run(experiment, worker)
    trial = experiment.trials.get()
    assert (trial.state, trial.verdict) == ("failed", "")
    assert "no longer expendable: it was not crashed" in trial.error
    assert theirs.server.running
    assert ours_on(theirs) == [] and not pending(marked).exists()
    assert not did("crashed").exists()


@pytest.mark.parametrize("change", [{"expendable": False}, {"expendable": False, "label": "production"},
                                    {"crash_command": ["reboot"]}])  # fmt: skip
def test_the_mark_may_be_taken_back_while_the_load_runs(client_in, marked, worker, theirs, change):
    experiment = plan(client_in, marked)

    def changed_in_mid_run(setup, tell, cancelled):
        Server.objects.filter(pk=marked.pk).update(**change)
        return PORTS.crash(setup, tell, cancelled)

    run(experiment, worker, replace(PORTS, crash=changed_in_mid_run))
    trial = experiment.trials.get()
    assert trial.verdict == "unknown"
    assert trial.error.startswith("kill: ") and "it was not crashed" in trial.error
    assert theirs.server.running
    assert ours_on(theirs) == [] and not pending(marked).exists()
    assert not did("crashed").exists()


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (("false", "--password=hidden"), "ended with status 1"),
        (("no-such-program", "hidden"), "could not be run"),
        (("sleep", "600"), "did not end within 3 s"),
        (("true",), "was never down"),
    ],
)
def test_a_crash_command_that_fails_is_no_verdict(client_in, server, worker, theirs, monkeypatch, command, says):
    monkeypatch.setattr(restores, "COMMAND_LIMIT_S", 3.0)
    mark(client_in, server, theirs, command, ("true",))
    experiment = run(plan(client_in, server), worker)
    trial = experiment.trials.get()
    assert (experiment.state, trial.state, trial.verdict) == ("done", "done", "unknown")
    assert says in trial.error and "hidden" not in trial.error
    assert ours_on(theirs) == [] and not pending(server).exists()
    assert did("crashed").exists(), "it was tried"
    listed = client_in.get(f"/results/{experiment.pk}/").content.decode()
    assert "1 trial is unclear. It may have lost commits or not" in listed


def test_a_server_that_stays_down_is_put_back_when_it_is_up_again(client_in, server, worker, theirs, monkeypatch):
    monkeypatch.setattr(restores, "COMMAND_LIMIT_S", 30.0)
    mark(client_in, server, theirs, theirs.crash, ("false",))
    experiment = run(plan(client_in, server, trials="2"), worker)
    first, second = experiment.trials.all()
    assert (first.verdict, second.state) == ("unknown", "waiting")
    assert "The start command false ended with status 1" in first.error and "may be down" in first.error
    assert experiment.state == "failed"
    assert NAME in experiment.error and experiment.fix
    assert {one.kind for one in pending(server)} == {"schema", "start"}
    assert all("false ended with status 1" in one.problem for one in pending(server))
    page = client_in.get(f"/servers/{server.pk}/").content.decode()
    assert pending(server).get(kind="schema").name in page and "nobody has seen it up since" in page
    tries = did("started again").count()

    restores.restore_all()
    assert pending(server).exists(), "it is still down"
    assert did("started again").count() == tries, "its command is not run every few seconds"
    client_in.post(f"/servers/{server.pk}/start/")
    restores.restore_all()
    assert pending(server).exists() and did("started again").count() == tries + 1, "the owner asked for it"
    theirs.server.restart(SETTINGS)  # by its owner
    restores.restore_all()
    assert not pending(server).exists()
    assert ours_on(theirs) == []

    mark(client_in, server, theirs, theirs.crash, theirs.start)
    actions.resume(experiment, None)
    assert run(experiment, worker, LOSING).state == "done"
    second.refresh_from_db()
    assert second.verdict == "invalid"


def test_a_trial_is_repeated_on_an_owners_server_only_while_it_is_marked(client_in, marked, worker, theirs):
    experiment = run(plan(client_in, marked), worker)
    first = experiment.trials.get()
    client_in.post(f"/results/trials/{first.pk}/repeat/")
    again = experiment.trials.get(repeat_of=first)
    assert (again.seed, again.kind, again.variant) == (first.seed, first.kind, first.variant)
    client_in.post(f"/servers/{marked.pk}/expendable/withdraw/")
    run(experiment, worker)
    again.refresh_from_db()
    assert again.state == "failed" and "no longer expendable" in again.error
