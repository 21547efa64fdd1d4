"""Behind a share link there is no host, account, socket, path or server name, on any page that it leads to.

Every string that could give a server away holds the word sekrit, wherever a worker could have stored it.
"""

import re

import pytest
from django.test import Client
from django.utils import timezone

from dashboard.experiments.models import Environment, Evidence, Experiment, Probe, Run, Series
from dashboard.fleet.models import Worker
from dashboard.servers.models import Server
from dashboard.sharing import actions
from workers.bench.plan import Plan, PlanTarget, Variant, WorkloadChoice

NAME, HOST, USER = "Sekrit orders primary", "db7.sekrit.corp", "sekrit_account"
SOCKET, DATADIR, WORKER = "/run/sekrit/mysqld.sock", "/srv/sekrit-data/", "sekrit-worker-3"
TROUBLE = f"{NAME} at {HOST}:3306 said: Access denied for user '{USER}'@'{WORKER}', see {DATADIR}error.log or {SOCKET}."


@pytest.fixture
def servers(db):
    attached = Server.objects.create(
        name=NAME, kind="attached", host=HOST, user=USER, note=TROUBLE, tls_ca="/sekrit.pem"
    )
    by_socket = Server.objects.create(name="sekrit-two", kind="attached", socket=SOCKET, user=USER)
    return [attached, by_socket]


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
        name=plan.name, plan=plan.as_dict(), seed=1, state="failed", error=TROUBLE, mend=TROUBLE, phase=TROUBLE,
        worker=worker, created_by=admin, baseline="1/1", started_at=timezone.now(), ended_at=timezone.now(),
    )  # fmt: skip
    for planned in plan.cells():
        measure(experiment, planned)
    return experiment


def measure(experiment, planned):
    cell = experiment.cells.create(
        server_id=planned.target.server_id, position=planned.position, block=planned.block, repeat=planned.repeat,
        variant=planned.variant.name, workload=planned.workload.label, threads=planned.threads,
        state="failed" if planned.position == 0 else "done", error=TROUBLE, mend=TROUBLE,
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
    Evidence.objects.create(
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
                          "log_error": f"{DATADIR}error.log", "sync_binlog": "1"},
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


def test_it_gives_nothing_away_on_any_page(experiment):
    _, token = actions.share(experiment.created_by, experiment, note="for sekrit Ada")
    pages = walk(Client(), f"/share/{token}/")
    assert len(pages) > 3, "the walk found no charts: is it looking at the right page?"
    for path, answer in pages.items():
        text = answer.content.decode()
        found = re.findall(r".{0,60}(?:sekrit|/srv/|/run/|mysqld\.sock|\.corp).{0,30}", text, re.IGNORECASE)
        assert not found, path
        assert "admin" not in re.sub(r"data-[\w-]+", "", text.split("<main")[-1]), path


def test_it_leads_nowhere_that_needs_a_login(experiment):
    _, token = actions.share(None, experiment)
    for path, answer in walk(Client(), f"/share/{token}/").items():
        assert answer.status_code == 200, path
        assert path.startswith(f"/share/{token}/"), path
        assert answer["Referrer-Policy"] == "no-referrer"


def test_it_would_have_been_found(experiment, client_in):
    """The positive control: the same page, for somebody who logged in, does name the server."""
    pages = walk(Client(), "/login/")
    assert not any("sekrit" in answer.content.decode().lower() for answer in pages.values())
    assert "sekrit" in client_in.get(f"/results/{experiment.pk}/").content.decode().lower()
