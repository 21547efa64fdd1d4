"""How long does the server take for a result page of 200 cells with 60 samples each, and how large is it?

    python tests/bench/bench_experiment_page.py

Makes the experiment in a temporary SQLite of its own, asks for the page as a logged-in browser does, and prints
milliseconds (median of 20), kilobytes, number of queries, and the ratios to the limits (100 ms, 300 KB).
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT_MS, LIMIT_KB = 100, 300
THREADS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
VARIANTS = {"1/1": 1000.0, "2/1": 1500.0, "2/0": 3000.0, "0/1": 1800.0, "0/0": 6000.0}  # x 10 threads x 4 repeats


def main() -> None:
    home = tempfile.TemporaryDirectory(prefix="durascope-bench-")
    os.environ["DURASCOPE_HOME"] = home.name
    os.environ["DJANGO_SETTINGS_MODULE"] = "dashboard.settings"
    sys.path.insert(0, str(ROOT))
    with home:
        _set_up()
        _measure()


def _set_up() -> None:
    import django

    Path(os.environ["DURASCOPE_HOME"], "staticfiles").mkdir()
    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0, run_syncdb=True)


def _measure() -> None:
    from django.contrib.auth.models import User
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    import dashboard.asgi  # noqa: F401 - as the web server does: loaded modules are no garbage to look through
    from dashboard.findings.analysis import analysis_of
    from tests.unit.results import factory

    experiment = factory.experiment(VARIANTS, threads=THREADS, repeats=4, seconds=60)
    took_ms = _timed(lambda: analysis_of(experiment))
    print(f"cells {experiment.cells.count()}, statistics made once in {took_ms:.0f} ms")
    browser = Client(headers={"host": "localhost"})
    browser.force_login(User.objects.create_user("bench"))
    address = f"/results/{experiment.pk}/"
    browser.get(address)  # notes the new session
    with CaptureQueriesContext(connection) as queries:
        size_kb = len(browser.get(address).content) / 1000
        asked = len(queries)  # the next request empties the log
    began_s = time.process_time()
    ms = statistics.median(_timed(lambda: browser.get(address)) for _ in range(20))
    cpu_ms = (time.process_time() - began_s) / 20 * 1000
    print(f"page {ms:.0f} ms ({ms / LIMIT_MS:.2f} of the limit; {cpu_ms:.0f} ms of CPU)")
    print(f"page {size_kb:.0f} KB ({size_kb / LIMIT_KB:.2f} of the limit), {asked} queries")
    packed_kb = len(browser.get(address, headers={"accept-encoding": "gzip"}).content) / 1000
    print(f"as sent to a browser: {packed_kb:.0f} KB (gzip)")


def _timed(act: "callable") -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    main()
