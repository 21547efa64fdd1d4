"""How long do pages take in an installation of 100 000 runs and 10 000 000 seconds?

    python -m tests.bench.large [--database sqlite|postgresql] [--runs 100000] [--times 60] [--keep FOLDER]

Five experiments are made as a worker stores them (5 variants x 5 numbers of threads x 4 repeats of 100 s) and copied by
the database itself until there are as many runs, with their seconds, evidence, history entries and nights. Then it
prints, for home, list, search, result, cell, history and share page, the median and the 95th percentile in
milliseconds: inside this process (Django's test client), and from a uvicorn as `up` starts it, over HTTP, compressed as
for a browser; and how many share pages a second two uvicorn processes answer, to 8 readers at once, and again when
the readers know the page already (If-None-Match). Beside each figure stands what a fixed loop took just then.
Everything is in a temporary folder, a private PostgreSQL included; --keep leaves it there, and finds it there again.
"""

import argparse
import asyncio
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.bench.installation import SECONDS, fill, timed
from tests.bench.machine import reference_ms
from tests.bench.reader import Reader

LIMIT_MS, LIMIT_PER_S = 100, 200
READERS, READ_S = 8, 60.0  # a page that is kept is made anew in it
PAGES_OF_ONE = 10  # then a reader leaves and another one comes, to whichever process takes the connection
HEADERS = {"host": "localhost", "accept-encoding": "gzip"}


def main() -> None:
    asked = _asked()
    folder = Path(asked.keep or tempfile.mkdtemp(prefix="durascope-large-", dir="/var/tmp"))
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)  # PostgreSQL runs as somebody else
    try:
        with database(asked.database, folder):
            _measure_all(asked, folder)
    finally:
        if not asked.keep:
            shutil.rmtree(folder)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=60)
    parser.add_argument("--keep", metavar="FOLDER")
    return parser.parse_args()


@contextmanager
def database(kind: str, folder: Path) -> Iterator[None]:
    """Says to Django, and to the web servers that are started, where everything is."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    (home / "staticfiles").mkdir(exist_ok=True)
    for name in [name for name in os.environ if name.startswith("DURASCOPE_") or name == "DATABASE_URL"]:
        del os.environ[name]
    os.environ |= {"DURASCOPE_HOME": str(home), "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
    if kind == "sqlite":
        yield
        return
    from tests.postgresql import PostgreSQL

    server = PostgreSQL(folder / "pg")
    is_new = not server.folder.exists()
    if is_new:
        server.folder.mkdir()
        server.create()
    server.start(shared_buffers="256MB", max_wal_size="4GB")
    os.environ["DATABASE_URL"] = server.url("large")
    try:
        if is_new:
            server.make("large")
        yield
    finally:
        server.stop()


def _measure_all(asked: argparse.Namespace, folder: Path) -> None:
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    if not User.objects.filter(username="bench").exists():
        print(f"made in {timed(lambda: fill(asked.runs)) / 1000:.0f} s")
    print(_size(folder))
    _analyse()
    import dashboard.asgi  # noqa: F401 - as the web server does: loaded modules are no garbage to look through

    browser, pages = _pages()
    _in_process(browser, pages, asked.times)
    _over_http(browser, pages, asked.times)


def _analyse() -> None:
    """As the worker does at the end of each: of those that are looked at."""
    from dashboard.findings import conclusion

    for experiment in _looked_at():
        conclusion.remember(experiment)


def _looked_at() -> list[Any]:
    from dashboard.records.experiments.models import Experiment

    return list(Experiment.objects.order_by("-created_at", "-pk")[:20])


def _size(folder: Path) -> str:
    from django.db.models import Count

    from dashboard.records.experiments.models import Experiment, Run

    found = Run.objects.aggregate(runs=Count("pk"))["runs"]
    on_disk = subprocess.run(["du", "-sm", str(folder)], capture_output=True, text=True, check=True).stdout.split()[0]
    made = f"{Experiment.objects.count():,} experiments, {found:,} runs of {SECONDS} s"
    return f"{made} = {found * SECONDS:,} seconds; {on_disk} MB on disk"


def _pages() -> tuple[Any, dict[str, list[str]]]:
    """A logged-in browser, and addresses of each kind of page: several, so that it is not always the same one."""
    from django.contrib.auth.models import User
    from django.test import Client

    from dashboard.records.experiments.models import Run
    from dashboard.records.history.models import Track
    from dashboard.records.sharing.actions import share

    user = User.objects.get(username="bench")
    browser = Client(headers=HEADERS)
    browser.force_login(user)
    shown = _looked_at()
    runs = [Run.objects.filter(cell__experiment=one).values_list("cell_id", flat=True).first() for one in shown]
    tracks = Track.objects.order_by("server_id").values_list("server_id", flat=True).distinct()
    return browser, {
        "home": ["/"],
        "list": [f"/experiments/?page={page}" for page in (1, 2, 3, 10, 20)],
        "search": ["/experiments/?q=nightly", "/experiments/?q=nothing+of+that", "/experiments/?state=done"],
        "result": [f"/results/{one.pk}/" for one in shown],
        "cell": [f"/results/cells/{cell}/" for cell in runs],
        "history": [f"/history/servers/{server}/" for server in tracks],
        "share": [f"/share/{share(user, one)[1]}/" for one in shown],
    }


def _in_process(member: Any, pages: dict[str, list[str]], times: int) -> None:
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    guest = Client(headers=HEADERS)
    print("\nin process     median        p95                                           CPU  queries  KB (gzip)")
    for name, addresses in pages.items():
        browser = guest if name == "share" else member
        with CaptureQueriesContext(connection) as queries:
            answer = browser.get(addresses[-1])
            asked = len(queries)
        if answer.status_code != 200:
            print(f"{name:10} answers {answer.status_code}")
            continue
        began_s = time.process_time()
        took = [timed(lambda n=n, a=addresses, b=browser: b.get(a[n % len(a)])) for n in range(times)]
        cpu_ms = 1000 * (time.process_time() - began_s) / times
        print(f"{name:10} {_words(took)} {cpu_ms:7.1f} ms {asked:6} {len(answer.content) / 1000:9.1f}", flush=True)


def _words(took: list[float]) -> str:
    """The last figure is a fixed loop's, measured right after."""
    p95 = sorted(took)[int(0.95 * len(took))]
    beside = f"{p95 / LIMIT_MS:.2f} of the limit; loop {reference_ms():.0f} ms"
    return f"{statistics.median(took):7.1f} ms {p95:7.1f} ms ({beside})"


def _over_http(browser: Any, pages: dict[str, list[str]], times: int) -> None:
    cookie = "; ".join(f"{key}={morsel.value}" for key, morsel in browser.cookies.items())
    with _web_server(1) as (port, _):
        print("\nuvicorn        median      p95")
        for name, addresses in pages.items():
            took = asyncio.run(_one_by_one(port, addresses, times, "" if name == "share" else cookie))
            print(f"{name:10} {_words(took)}", flush=True)
    for processes in (1, 2):
        with _web_server(processes) as (port, pid):
            for what, known in (("share pages", False), ("known share pages", True)):
                before_s = _cpu_s(pid)
                rate, took = asyncio.run(_many(port, pages["share"], known))
                each_ms = 1000 * (_cpu_s(pid) - before_s) / len(took)
                words = f"{rate:6.0f} {what}/s ({rate / LIMIT_PER_S:.2f} of the limit), {each_ms:.1f} ms of CPU each"
                print(f"{processes} uvicorn: {words}, {_words(took)}", flush=True)


@contextmanager
def _web_server(processes: int) -> Iterator[tuple[int, int]]:
    """(port, process id)."""
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = ["--host", "127.0.0.1", "--port", str(port), "--no-access-log", "--workers", str(processes)]
    with Path(os.environ["DURASCOPE_HOME"], "web.log").open("ab") as log:
        argv = [sys.executable, "-m", "uvicorn", "dashboard.asgi:application", *options]
        server = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", *argv], stdout=log, stderr=log)
    try:
        asyncio.run(_until_up(port, processes))
        yield port, server.pid
    finally:
        server.terminate()
        server.wait(30)


def _cpu_s(pid: int) -> float:
    """Of a process and its children."""
    listed = subprocess.run(["ps", "-e", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = dict(map(int, line.split()) for line in listed.splitlines())
    ours = [one for one, parent in parents.items() if pid in (one, parent)]
    ticks = [Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[11:13] for one in ours]
    return sum(int(tick) for both in ticks for tick in both) / os.sysconf("SC_CLK_TCK")


async def _until_up(port: int, processes: int) -> None:
    """Each process answers a few: the first request of a process loads templates."""
    deadline = time.monotonic() + 120
    while True:
        try:
            for _ in range(20 * processes):
                reader = await Reader.to(port)
                await reader.get("/login/")
                reader.close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.2)


async def _one_by_one(port: int, addresses: list[str], times: int, cookie: str) -> list[float]:
    reader, took = await Reader.to(port), []
    for number in range(-len(addresses), times):
        began = time.perf_counter()
        status, _ = await reader.get(addresses[number % len(addresses)], cookie)
        if number >= 0:
            took.append(1000 * (time.perf_counter() - began))
        if status != 200:
            raise RuntimeError(f"{addresses[number % len(addresses)]} answers {status}")
    reader.close()
    return took


async def _many(port: int, addresses: list[str], known: bool) -> tuple[float, list[float]]:
    """(pages a second, milliseconds of each) of READERS that ask all the time."""
    took: list[float] = []
    first = await Reader.to(port)
    tags = {address: (await first.get(address))[1] for address in addresses}
    first.close()
    ends = time.monotonic() + READ_S

    async def read(number: int) -> None:
        while time.monotonic() < ends:
            reader = await Reader.to(port)
            for at in range(number, number + PAGES_OF_ONE):
                address = addresses[at % len(addresses)]
                began = time.perf_counter()
                status, _ = await reader.get(address, etag=tags[address] if known else "")
                took.append(1000 * (time.perf_counter() - began))
                if status != (304 if known and tags[address] else 200):
                    raise RuntimeError(f"{address} answers {status}")
            reader.close()
            number += PAGES_OF_ONE

    began = time.monotonic()
    await asyncio.gather(*(read(number) for number in range(READERS)))
    return len(took) / (time.monotonic() - began), took


if __name__ == "__main__":
    main()
