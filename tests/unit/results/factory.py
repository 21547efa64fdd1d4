"""Made-up experiments with stored runs, as the worker would have stored them."""

import hashlib
import json
from datetime import UTC, datetime

import numpy as np

from dashboard.records.experiments.models import Cell, Environment, Experiment, Probe, Run, RunEvidence, Series
from dashboard.records.servers.models import Server
from workers.bench.plan import Plan, PlanTarget, Variant, WorkloadChoice

STARTED = datetime(2026, 3, 1, 12, tzinfo=UTC)
VARIANTS = {"1/1": 1000.0, "2/0": 3000.0, "0/0": 6000.0}
SECRET = {"host": "db7.example.com", "user": "bench_admin", "socket": "/run/mysqld/secret.sock"}


def server(name="db7 in rack 3", **fields):
    known = {"kind": "attached", "host": SECRET["host"], "user": SECRET["user"], **fields}
    return Server.objects.get_or_create(name=name, defaults=known)[0]


def plan(servers, variants=VARIANTS, threads=(1, 8), repeats=3, workloads=("update by key",), name="What safety costs"):
    return Plan(
        name=name,
        targets=tuple(PlanTarget(one.pk, one.name) for one in servers),
        variants=tuple(Variant(v, {"sync_binlog": "1"}) for v in variants),
        workloads=tuple(WorkloadChoice(label, "update_key", {}) for label in workloads),
        threads=tuple(threads),
        repeats=repeats,
        warmup_s=1,
        measure_s=30,
        table_rows=10_000,
        seed=42,
        baseline=next(iter(variants)),
    )


def experiment(
    levels=VARIANTS, *, servers=None, seconds=30, threads=(1, 8), repeats=3, measured=None, state="done",
    figures=True, noise=0.05, workloads=("update by key",), name="What safety costs", environment=None,
):  # fmt: skip
    """`levels`: variant -> commits per second at one thread. `measured`: only so many cells have runs."""
    servers = servers or [server()]
    made = plan(servers, levels, threads, repeats, workloads, name)
    one = Experiment.objects.create(
        name=name, plan=made.as_dict(), seed=42, state=state, baseline=made.baseline,
        started_at=STARTED, ended_at=STARTED,
    )  # fmt: skip
    cells = list(made.cells())
    Cell.objects.bulk_create(
        Cell(
            experiment=one, server_id=c.target.server_id, position=c.position, block=c.block, variant=c.variant.name,
            workload=c.workload.label, threads=c.threads, repeat=c.repeat, state="waiting",
        )
        for c in cells
    )  # fmt: skip
    where = environment_row(**(environment or {}))
    probes = {s.pk: Probe.objects.create(experiment=one, server=s, data=probe()) for s in servers}
    rng = np.random.default_rng(11)
    done = list(one.cells.all())[: len(cells) if measured is None else measured]
    level = {cell: levels[cell.variant] * cell.threads**0.7 for cell in done}
    store([
        run(cell, level[cell] * (1 + noise * rng.normal(size=seconds)), where, probes[cell.server_id], figures)
        for cell in done
    ])  # fmt: skip
    one.refresh_from_db()
    return one


def store(runs):
    """What `run` made, with a few statements."""
    for kind, rows in zip((Run, Series, RunEvidence), zip(*runs, strict=True), strict=True) if runs else ():
        kind.objects.bulk_create(rows)
    Cell.objects.filter(pk__in=[made.cell_id for made, *_ in runs]).update(state="done")


def run(cell, tps, environment, probe, figures=True):
    """Its rows, which are not stored yet."""
    tps = [round(float(value), 1) for value in tps]
    transactions = int(sum(tps))
    made = Run(
        cell=cell, started_at=STARTED, elapsed_s=len(tps), transactions=transactions, tps=float(np.mean(tps)),
        latency_ms={"p50": 1.0, "p95": 2.0, "p99": 3.0, "p99.9": 5.0, "avg": 1.2, "max": 9.0},
        figures=counted(cell, transactions) if figures else nothing_counted(),
        latencies=[latency(transactions)] if figures else [], environment=environment, probe=probe,
        load_average=0.3, effective={"sync_binlog": "1"},
    )  # fmt: skip
    ones = [1.0] * len(tps)
    columns = {"t_s": list(range(1, len(tps) + 1)), "tps": tps, "qps": tps, "writes": tps, "errors": [0.0] * len(tps)}
    series = Series(run=made, columns={**columns, "p95_ms": ones})
    evidence = RunEvidence(
        run=made, my_cnf=f"[mysqld]\nuser=mysql\nsocket={SECRET['socket']}\ndatadir=/srv/mysql/data\n",
        command=["sysbench", "/opt/lua/update_key.lua", f"--mysql-host={SECRET['host']}", "--report interval=1", "run"],
        output="transactions: 100 (10.0 per sec.)\n", histogram=[[1.0, 60], [2.0, 35], [3.0, 5]],
    )  # fmt: skip
    return made, series, evidence


def counted(cell, transactions):
    safe = cell.variant == "1/1"
    values = {
        "redo_fsyncs": transactions * (0.5 if safe else 0.001),
        "binlog_fsyncs": transactions * 0.4 if safe else 0,
        "data_fsyncs": 10,
        "binlog_commits": transactions,
        "binlog_groups": transactions / 4,
        "redo_bytes": transactions * 500,
    }
    return [{"name": name, "value": v, "source": f"trace:{name}", "note": ""} for name, v in values.items()]


def nothing_counted():
    return [{"name": "", "value": None, "source": "fsync-trace", "note": "this server is on another host"}]


def latency(calls):
    return {
        "files": "redo", "source": "trace:fsync", "calls": calls, "total_ms": calls * 0.3, "max_ms": 4.0,
        "buckets": {"256": calls // 2, "512": calls - calls // 2},
    }  # fmt: skip


def probe():
    flush = {"n": 100, "p50_ms": 0.2, "p95_ms": 0.4, "p99_ms": 0.9, "max_ms": 2.0, "mean_ms": 0.25}
    return {"flushes": [{"way": w, "size_bytes": s, **flush} for w in ("append", "overwrite") for s in (512, 4096)]}


def environment_row(kernel="6.1.0", version="10.11.6-MariaDB", **variables):
    known = {"hostname": "db7", "datadir": "/srv/mysql/data", "innodb_io_capacity": "200", **variables}
    data = {
        "host": {"hostname": "db7", "cpu_model": "Model X", "cores": 2, "memory_bytes": 2**34, "kernel": kernel},
        "storage": {"file_system": "ext4", "mount_options": "rw,noatime", "device": "/dev/vdb"},
        "sysbench": "1.0.20",
        "server": {"flavour": "mariadb", "version": version, "engines": {}, "variables": known},
    }
    digest = hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
    return Environment.objects.get_or_create(digest=digest, defaults={"data": data})[0]
