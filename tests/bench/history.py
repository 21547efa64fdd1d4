"""How long does the server take for a history page, and for the figures that its charts then load?

    python tests/bench/history.py [nights]

Stores 400 nights (or as many as asked for) of 4 variants at two numbers of threads, with a change, in a temporary
SQLite of its own; prints milliseconds (median and 95th percentile of 40), kilobytes and queries of the page with the
newest 400 and of each file, what a night costs the worker (a round that notes nothing but searches eight tracks), and
what the first search of it all costs.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT_MS, LIMIT_KB = 100, 300
THREADS = (8, 64)
TIMES = 40


def main() -> None:
    nights = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    with tempfile.TemporaryDirectory(prefix="durascope-bench-") as home:
        os.environ |= {"DURASCOPE_HOME": home, "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
        sys.path.insert(0, str(ROOT))
        Path(home, "staticfiles").mkdir()
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        server = _fill(nights)
        import dashboard.asgi  # noqa: F401 - settles the process as the web server does

        page = f"/history/servers/{server.pk}/"
        _measure([f"{page}?nights=400", *(f"{page}{key}.json?nights=400" for key in ("throughput", "p99", "fsyncs"))])
        _measure([f"{page}throughput.csv?nights=400"])


def _fill(nights: int):
    from django.utils import timezone

    from dashboard.history import update
    from dashboard.records.history.models import Change, Entry
    from tests.unit.history import nights as made
    from tests.unit.results import factory

    server = factory.server(name="db7")
    tracks = {(v, n): made.track(server, v, n) for v in made.VARIANTS for n in THREADS}
    factors = {key: made.noise(nights + 1, seed=n) for n, key in enumerate(tracks)}

    def one(night: int) -> None:
        experiment = made.experiment(server, made.FIRST + night * made.DAY, threads=THREADS)
        late = night >= nights * 2 // 3
        for (variant, threads), track in tracks.items():
            tps = made.VARIANTS[variant] * factors[variant, threads][night] * (0.9 if late else 1)
            made.entry(track, experiment, tps, made.NEW if late else made.OLD, p99_ms=9000 / tps)

    for night in range(nights):
        one(night)
    took = _s(lambda: update.keep(timezone.now(), print, round_s=3600))
    print(f"{Entry.objects.count():,} entries, {Change.objects.count()} changes; the first search {took:.1f} s of CPU")
    one(nights)
    print(f"a night more: {_s(lambda: update.keep(timezone.now(), print, round_s=60)):.2f} s of CPU")
    return server


def _measure(addresses: list[str]) -> None:
    from django.contrib.auth.models import User
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    browser = Client(headers={"host": "localhost"})
    browser.force_login(User.objects.get_or_create(username="bench")[0])
    for address in addresses:
        with CaptureQueriesContext(connection) as queries:
            answer = browser.get(address)
            asked = len(queries)  # the next request empties the log
        took = sorted(1000 * _s(lambda address=address: browser.get(address)) for _ in range(TIMES))
        p95, size_kb = took[int(0.95 * TIMES)], len(answer.content) / 1000
        print(
            f"{address:45} {answer.status_code}  {statistics.median(took):5.1f} ms, p95 {p95:5.1f} ms of CPU "
            f"({p95 / LIMIT_MS:.2f} of the limit)  {size_kb:6.1f} KB ({size_kb / LIMIT_KB:.2f})  {asked} queries"
        )


def _s(act) -> float:
    began = time.process_time()
    act()
    return time.process_time() - began


if __name__ == "__main__":
    main()
