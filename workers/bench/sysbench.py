"""Runs sysbench: command line, environment, process.

The password is in MYSQL_PWD, which other accounts cannot read, never in an argument. Scripts are found by name through
LUA_PATH, because a script that is given by path cannot require other scripts.
"""

import os
import re
import shutil
import subprocess

from workers.bench import failures, histogram, login, process, tls
from workers.bench.load import IsCancelled, LoadRequest, LoadResult, OnSecond
from workers.bench.output import SysbenchOutput
from workers.bench.workloads import LUA_FOLDER, WORKLOADS, fit, own_transaction
from workers.errors import LoadError
from workers.transaction.records import VARIABLE, records

CONNECT_S = 60  # 1024 threads on two cores take some seconds
LAST_TRANSACTION_S = 60  # of a transaction at the end: lock waits end after 50 s
VERSION_S = 10.0
AFTER_FATAL_S = 10  # threads without an error may hang
LEAST_ROWS_PER_S = 2000  # prepare on a slow disk
FIX_MISSING = "Install it on the worker's host: apt install sysbench util-linux."


def version() -> str | None:
    """`1.0.20`; None when sysbench is not installed on this host, or does not answer."""
    binary = shutil.which("sysbench")
    if not binary:
        return None
    try:
        printed = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=VERSION_S).stdout
    except subprocess.TimeoutExpired:
        return None
    found = re.search(r"sysbench (\d+\.\d+\.\d+)", printed)
    return found[1] if found else None


def prepare(request: LoadRequest, cancelled: IsCancelled) -> None:
    """Make and load the workload's table in `request.schema`. Raises as `run` does."""
    own = own_transaction(request.params)
    rows = own.rows if own else request.table_rows
    _call(request, "prepare", CONNECT_S + rows / LEAST_ROWS_PER_S, cancelled)


def reset(request: LoadRequest) -> None:
    """Empty the table of a workload that grows. Raises as `run` does."""
    _call(request, "reset", CONNECT_S, lambda: False)


def run(request: LoadRequest, on_second: OnSecond, cancelled: IsCancelled) -> LoadResult:
    """Generate the load for `request.seconds` seconds; `on_second` is called for each sample.

    Raises PlanError before the start, Cancelled within 2 s, LoadError when sysbench failed or measured nothing, and
    ServerError when the server is the reason.
    """
    limit_s = CONNECT_S + request.seconds + LAST_TRANSACTION_S
    argv, output = _call(request, "run", limit_s, cancelled, on_second)
    total, workload = output.total, WORKLOADS[request.workload]
    if total is None:
        raise LoadError("sysbench ended well, but without a result.", "The installed version is not 1.0.20 or later.")
    if wrong := failures.bogus(total):
        raise wrong
    buckets = output.histogram
    return LoadResult(
        argv=argv,
        transactions=total.transactions,
        rows_per_transaction=workload.rows(fit(request)),
        elapsed_s=total.elapsed_s,
        seconds=output.series,
        histogram=buckets,
        latency_avg_ms=total.latency_avg_ms,
        latency_max_ms=total.latency_max_ms,
        errors=total.errors,
        output=output.text,
        percentiles_ms=histogram.percentiles(buckets, total.latency_max_ms),
    )


def _call(
    request: LoadRequest,
    command: str,
    limit_s: float,
    cancelled: IsCancelled,
    on_second: OnSecond = lambda second: None,
) -> tuple[tuple[str, ...], SysbenchOutput]:
    """One sysbench process from start to end: its arguments and its output."""
    params = fit(request)
    binary, output = _binary(), SysbenchOutput()
    with tls.chosen(request.target) as tls_of, login.address(request.target, tls_of.certificate) as address:
        argv = (binary, *_arguments(request, address, params), tls_of.argument, command)
        with process.started(argv, _environment(request), tls_of.folder) as child:
            limit = process.TimeLimit(limit_s)
            for line in process.lines(child, limit, cancelled):
                if line.startswith("FATAL"):
                    limit.shorten(AFTER_FATAL_S)
                if second := output.take(line):
                    on_second(second)
            returncode = _status(child)
    if returncode != 0:
        raise failures.explain(output.text, returncode, request)
    return argv, output


def _status(child: subprocess.Popen[bytes]) -> int:
    """The exit status, which follows the end of the output."""
    try:
        return child.wait(process.TERM_S)
    except subprocess.TimeoutExpired as hangs:
        raise LoadError(
            "sysbench closed its output but did not end, and was killed.", "Repeat the measurement; see dmesg."
        ) from hangs


def _binary() -> str:
    for name in ("sysbench", "setpriv"):
        if not shutil.which(name):
            raise LoadError(f"{name} is not installed on the worker's host; no load was started.", FIX_MISSING)
    return shutil.which("sysbench") or "sysbench"


def _arguments(request: LoadRequest, address: list[str], params: dict[str, str]) -> list[str]:
    return [
        WORKLOADS[request.workload].script.removesuffix(".lua"),
        "--db-driver=mysql",
        *address,
        f"--mysql-user={request.target.user}",
        f"--mysql-db={request.schema}",
        f"--threads={request.threads}",
        f"--time={request.seconds}",
        "--report-interval=1",
        "--percentile=95",
        "--histogram=on",
        "--rand-type=uniform",  # sysbench's default has hot rows, which measure lock waits instead of commits
        f"--rand-seed={request.seed}",
        f"--table-rows={request.table_rows}",
        f"--engine={request.engine}",
        *_place(request),
        *(f"--{name.replace('_', '-')}={value}" for name, value in params.items() if name != "file"),
    ]


def _place(request: LoadRequest) -> list[str]:
    """The place of these threads among all, so that two processes never use the same keys."""
    if not request.all_threads:
        return []
    return [f"--first-thread={request.first_thread}", f"--all-threads={request.all_threads}"]


def _environment(request: LoadRequest) -> dict[str, str]:
    """Only variables that sysbench needs: no secrets and settings of the worker. An own transaction is one of them: so
    no file has to be written, and its text is in no argument."""
    needed = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "LUA_PATH": f"{LUA_FOLDER}/?.lua;;"}
    own = own_transaction(request.params)
    needed |= {VARIABLE: records(own)} if own else {}
    return needed | ({"MYSQL_PWD": request.target.password} if request.target.password else {})
