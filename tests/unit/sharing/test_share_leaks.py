"""Behind a share link there is no host, account, socket, path or server name, on any page that it leads to.

Every string that could give a server away holds the word sekrit, wherever a worker could have stored it.
"""

import re

import pytest
from django.test import Client
from django.utils import timezone

from dashboard.records.experiments.models import Environment, Experiment, Probe, Run, RunEvidence, Series, TrialEvidence
from dashboard.records.fleet.models import Worker
from dashboard.records.servers import actions as servers_app
from dashboard.records.servers.models import Server
from dashboard.records.sharing import actions
from tests.walks import report
from workers.bench.plan import Plan, PlanTarget, Variant, WorkloadChoice

NAME, HOST, USER = "Sekrit orders primary", "db7.sekrit.corp", "sekrit_account"
SOCKET, DATADIR, WORKER = "/run/sekrit/mysqld.sock", "/srv/sekrit-data/", "sekrit-worker-3"
LIMITS = "/help/limits/"  # what no result can tell: the same for everybody
TROUBLE = f"{NAME} at {HOST}:3306 said: Access denied for user '{USER}'@'{WORKER}', see {DATADIR}error.log or {SOCKET}."

TELLING = r"sekrit|/srv/|/run/|mysqld\.sock|\.corp|5ec1217a|192\.0\.2|59163"
UUID = "5ec1217a-0000-11ee-8c99-0242ac120002"
LOG = [
    f"2026-11-21 18:48:38 0 [Note] InnoDB: Loading buffer pool(s) from {DATADIR}ib_buffer_pool",
    f"Version: '10.11.19-MariaDB'  socket: '{SOCKET}'  port: 59163  Debian 12",
    "2026-11-21 18:48:38 0 [Note] Server socket created on IP: '192.0.2.7', port: '59163'.",
    "2026-11-21 18:48:38 5 [Warning] Aborted connection 5 to db: 'sekrit_db' user: 'sekrit_app' host: 'sekrit-app-3'",
    "2026-11-21 18:48:38 0 [Warning] 'proxies_priv' entry '@% root@sekrit' ignored in --skip-name-resolve mode.",
    "Starting MariaDB source revision 58 server_uid sekritBJc/BpLokgMrDW32= as process 22049",
]

pytestmark = pytest.mark.any_database  # the walks look at texts, whichever database stored them


@pytest.fixture
def servers(db):
    attached = Server.objects.create(
        name=NAME, kind="attached", host=HOST, user=USER, note=TROUBLE, tls_ca="/sekrit.pem"
    )
    by_socket = Server.objects.create(name="sekrit-two", kind="attached", socket=SOCKET, user=USER)
    # A sandbox's log is shown to guests too: it is not people's own, but it is full of paths and accounts.
    sandbox = Server.objects.create(name="sekrit sandbox", kind="sandbox", build="system-mariadb")
    return [attached, by_socket, sandbox]


@pytest.fixture
def experiment(servers, admin):
    plan = Plan(
        name=f"cost on {NAME}",
        targets=tuple(PlanTarget(server.pk, server.name) for server in servers),
        variants=(Variant("1/1", {"sync_binlog": "1"}), Variant("0/0", {"sync_binlog": "0"})),
        workloads=(WorkloadChoice("update", "update_non_index", {}),),
        threads=(1, 8),
        repeats=1,
        warmup_s=1,
        measure_s=3,
        table_rows=1000,
        seed=1,
        baseline="1/1",
    )
    worker = Worker.objects.create(host=WORKER, pid=1)
    experiment = Experiment.objects.create(
        name=plan.name, plan=plan.as_dict(), seed=1, state="failed", error=TROUBLE, fix=TROUBLE, activity=TROUBLE,
        worker=worker, created_by=admin, baseline="1/1", started_at=timezone.now(), ended_at=timezone.now(),
    )  # fmt: skip
    for planned in plan.cells():
        measure(experiment, planned)
    for n, server in enumerate(servers):
        crash(experiment, server, n)
    return experiment


def crash(experiment, server, position):
    trial = experiment.trials.create(
        server=server, position=position, variant="0/0", kind="power-loss", repeat=1, seed=7, state="done",
        verdict="unknown", error=TROUBLE, fix=TROUBLE, acknowledged=10, in_doubt=1, environment=environment(),
        repeat_of=experiment.trials.first(),
    )  # fmt: skip
    TrialEvidence.objects.create(trial=trial, data={
        "checks": [{"key": "lost-engine", "outcome": "unknown", "count": 0, "says": TROUBLE, "offenders": []}],
        "steps": [{"name": "load", "at_s": 0.0, "took_s": 1.0}],
        "binlog": {"end": "open", "end_at": f"{DATADIR}binlog.000001:4711", "unreadable": TROUBLE},
        "replicas": [{"moment": "after recovery", "state": "stopped", "error": TROUBLE, "different_rows": None}],
        "gtid_before": UUID + ":1-20", "gtid_after": UUID + ":1-9", "reissued": [UUID + ":10"],
        "problems": [TROUBLE], "recovery_lines": LOG, "log_lines": LOG, "notes": {"said": TROUBLE, TROUBLE: "1"},
        "my_cnf": f"[mysqld]\ndatadir={DATADIR}\nsocket={SOCKET}\nreport_host=sekrit-db\nlog_bin={DATADIR}binlog\n",
    })  # fmt: skip


def measure(experiment, planned):
    cell = experiment.cells.create(
        server_id=planned.target.server_id, position=planned.position, block=planned.block, repeat=planned.repeat,
        variant=planned.variant.name, workload=planned.workload.label, threads=planned.threads,
        state="failed" if planned.position == 0 else "done", error=TROUBLE, fix=TROUBLE,
    )  # fmt: skip
    if cell.state == "failed":
        return
    probe = Probe.objects.create(experiment=experiment, server_id=cell.server_id, data={"error": TROUBLE})
    run = Run.objects.create(
        cell=cell, started_at=timezone.now(), elapsed_s=3, transactions=3000, tps=1000.0 + planned.position,
        latency_ms={"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 4.0, "avg": 1.1, "max": 5.0},
        figures=[
            {"name": "commits", "value": 3000, "source": "status:Com_commit", "note": TROUBLE},
            {"name": "", "value": None, "source": "file_waits", "note": TROUBLE},
        ],
        environment=environment(), probe=probe,
        effective={"sync_binlog": "1", "datadir": DATADIR}, load_average=0.5,
    )  # fmt: skip
    seconds = [1.0, 2.0, 3.0]
    Series.objects.create(
        run=run, columns={name: seconds for name in ("t_s", "tps", "qps", "writes", "errors", "p95_ms")}
    )
    RunEvidence.objects.create(
        run=run, command=["sysbench", f"--mysql-host={HOST}", f"--mysql-user={USER}", f"--mysql-socket={SOCKET}"],
        my_cnf=f"[mysqld]\ndatadir={DATADIR}\nsocket={SOCKET}\n", output=TROUBLE, histogram=[[1.0, 3000]],
    )  # fmt: skip


def environment():
    data = {
        "host": {"hostname": WORKER, "cpu_model": "CPU", "cores": 2, "memory_bytes": 1, "kernel": "6.1"},
        "storage": {"file_system": "ext4", "device": "/dev/mapper/sekrit", "mount_options": "rw"},
        "sysbench": "1.0.20",
        "server": {
            "flavour": "mariadb", "version": "10.11.6-MariaDB", "engines": {"innodb": "DEFAULT"},
            "variables": {"hostname": WORKER, "datadir": DATADIR, "socket": SOCKET, "report_host": HOST,
                          "log_error": f"{DATADIR}error.log", "sync_binlog": "1", "server_uuid": UUID,
                          "wsrep_cluster_address": "gcomm://sekrit1,sekrit2", "wsrep_node_name": "sekrit1",
                          "log_bin_basename": "sekrit-bin", "init_connect": "SET @x='sekrit'"},
        },
    }  # fmt: skip
    return Environment.objects.get_or_create(digest="d", defaults={"data": data})[0]


def walk(client, start):
    """Every page and file that can be reached from `start` by its links and chart sources."""
    seen, ahead = {}, [start]
    while ahead:
        path = ahead.pop()
        if path in seen:
            continue
        answer = client.get(path)
        seen[path] = answer
        text = answer.content.decode()
        ahead += [
            found.replace("&amp;", "&") for found in re.findall(r'(?:href|src|data-[\w-]+)="(/(?!static/)[^"]*)"', text)
        ]
        ahead += [start + found.replace("&amp;", "&") for found in re.findall(r'href="(\?[^"]*)"', text)]
    return seen


def test_every_page_is_open_gives_nothing_away_and_says_what_it_leaves_out(experiment):
    """A guest sees that something was there, and the figures that do not tell where."""
    _, token = actions.share(experiment.created_by, experiment, note="for sekrit Ada")
    pages = walk(Client(), f"/share/{token}/")
    for part, least in {"/parts/": 2, "/charts/": 9, "/cells/": 6, "/trials/": 4}.items():
        found = [path for path in pages if part in path]
        assert len(found) >= least, f"the walk found {found}: is it looking at the right page?"
    report(says for path, answer in pages.items() for says in wrong(path, answer, f"/share/{token}/"))
    cell = next(answer.text for path, answer in pages.items() if re.search(r"/cells/\d+/$", path))
    assert "sync_binlog" in cell and "wsrep_node_name" in cell and "[removed]" in cell and "Exact command" in cell
    trials = [answer.text for path, answer in pages.items() if re.search(r"/trials/\d+/$", path)]
    assert sum("Loading buffer pool" in text for text in trials) == 1, "of the sandbox, not of attached servers"
    assert all("Repeat this trial" not in text and "GTID before" in text for text in trials)


def told_by(words, text):
    """Each hit with its surroundings. A pattern that begins with them would try 60 lengths at each character."""
    return [text[max(0, hit.start() - 60) : hit.end() + 30] for hit in re.finditer(words, text, re.IGNORECASE)]


def wrong(path, answer, start):
    """What a page behind a link gives away, and where it leads a guest without a login."""
    if answer.status_code != 200:
        yield f"{path}: {answer.status_code}"
    if not path.startswith((start, LIMITS)):
        yield f"{path} is reached"
    if path != LIMITS and answer["Referrer-Policy"] != "no-referrer":
        yield f"{path}: {answer['Referrer-Policy']}"
    text = answer.content.decode()
    if found := told_by(TELLING, text):
        yield f"{path}: {found}"
    if "admin" in re.sub(r"data-[\w-]+", "", text.split("<main")[-1]):
        yield f"{path} names admin"


def test_the_search_finds_the_server_on_the_page_of_a_user(experiment, client_in):
    """The positive control: the same page, for somebody who logged in, does name the server."""
    pages = walk(Client(), "/login/")
    assert not any("sekrit" in answer.content.decode().lower() for answer in pages.values())
    trial, cell = experiment.trials.last().pk, experiment.cells.last().pk
    for path in (f"{experiment.pk}/", f"{experiment.pk}/trials/", f"trials/{trial}/", f"cells/{cell}/"):
        assert "sekrit" in client_in.get(f"/results/{path}").content.decode().lower(), path


def test_a_link_opens_its_own_experiment_only(experiment, admin):
    other = Experiment.objects.create(name="another", plan=experiment.plan, seed=1, state="done")
    _, token = actions.share(admin, other)
    for part in (f"cells/{experiment.cells.last().pk}/", f"trials/{experiment.trials.first().pk}/"):
        assert Client().get(f"/share/{token}/{part}").status_code == 404
    cell = experiment.cells.last().pk
    assert Client().get(f"/share/{token}/cells/{cell}/charts/seconds.csv").status_code == 404


def test_a_shared_comparison_gives_nothing_away_either(experiment, admin):
    """Of two experiments on the same servers: their names are the same in both, and in what differs between them."""
    again = Experiment.objects.create(name=f"again on {NAME}", plan=experiment.plan, seed=1, state="done")
    measure(again, list(Plan.from_dict(experiment.plan).cells())[1])
    run = Run.objects.get(cell__experiment=again)
    data = {**run.environment.data, "storage": {"file_system": "xfs", "device": "/dev/mapper/other-sekrit"}}
    server = run.environment.data["server"]
    variables = {**server["variables"], "log_bin_basename": "other-sekrit", "sync_binlog": "0"}
    data["server"] = {**server, "variables": variables}
    run.environment = Environment.objects.create(digest="other", data=data)
    run.save()
    runs = ",".join(str(pk) for pk in Run.objects.order_by("pk").values_list("pk", flat=True))
    _, token = actions.share(
        admin, None, comparison=f"runs={runs}", compared=[experiment, again], note="for sekrit Ada"
    )
    pages = walk(Client(), f"/share/{token}/")
    assert len([path for path in pages if "/charts/" in path]) >= 2
    for path, answer in pages.items():
        assert answer.status_code == 200 and path.startswith((f"/share/{token}/", LIMITS)), path
        assert not told_by(TELLING, answer.content.decode()), path
    html = pages[f"/share/{token}/"].content.decode()
    assert "Server A" in html and "sync_binlog" in html and "file system" in html, "what differs is told"


PRINTED = (
    "kill: The crash command /usr/local/bin/reset-orders ended with status 255: ssh: connect to host db-test port 22: "
    "Connection refused\nssh: Could not resolve hostname dbprod7: Name or service not known\n"
    "DURASCOPE_PASSWORD_KEYS=abcDEF= Check the server by hand: it may be down."
)
MOVED = "evidence: dbold7:3306 said no, and so did DBOLD7.example"
GONE = r"reset-orders|db-test|dbprod7|abcDEF|dbold7"


@pytest.fixture
def told(experiment, servers, admin):
    """The same experiment after a crash command that talked, and after its server moved twice."""
    attached = servers[0]
    first, second, _ = experiment.trials.order_by("position")
    for trial, said in ((first, PRINTED), (second, MOVED)):
        type(trial).objects.filter(pk=trial.pk).update(error=said)
        TrialEvidence.objects.filter(pk=trial.pk).update(
            data={**trial.evidence.data, "error": said, "problems": [said]}
        )
    Experiment.objects.filter(pk=experiment.pk).update(error=PRINTED.removeprefix("kill: "))
    Server.objects.filter(pk=attached.pk).update(host="dbold7.example")
    for host in ("dbnew8", "dbnew9", "dbnew8"):
        attached.refresh_from_db()
        attached.host = host
        servers_app.change(admin, attached, "", ["host"])
    attached.refresh_from_db()
    assert attached.earlier_hosts == ["dbold7.example", "dbnew8", "dbnew9"]
    experiment.refresh_from_db()
    return experiment


def test_a_guest_reads_neither_what_a_command_printed_nor_where_a_server_was(told, client_in):
    _, token = actions.share(None, told)
    pages = walk(Client(), f"/share/{token}/")
    for path, answer in pages.items():
        assert not told_by(GONE, answer.content.decode()), path
    shown = [answer.text for path, answer in pages.items() if "/trials/" in path]
    assert any(
        "The crash command [removed] ended with status 255: [removed] Check the server" in text for text in shown
    )
    inside = client_in.get(f"/results/{told.pk}/trials/").text  # the positive control
    assert all(word in inside for word in ("reset-orders", "db-test", "dbprod7", "abcDEF", "dbold7"))
