"""How long do home, list and the live poll take when there is much to show, and how many questions do they ask?

    python tests/bench/pages.py

Stores 2000 experiments of 6 cells, and a running one of 5000 cells, in a temporary SQLite of its own; prints
milliseconds of CPU time (median of 20), kilobytes and queries of each page.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENTS, CELLS, MANY_CELLS = 2000, 6, 5000
LIMIT_MS = 100


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="durascope-bench-") as home:
        os.environ |= {"DURASCOPE_HOME": home, "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
        sys.path.insert(0, str(ROOT))
        Path(home, "staticfiles").mkdir()
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        running = _fill()
        _measure(["/", "/experiments/", "/experiments/?page=40", f"/experiments/{running}/progress/"])
        _measure([f"/experiments/{running}/", "/servers/", "/workers/"])


def _fill() -> int:
    """The id of the running experiment."""
    from dashboard.records.experiments.models import Cell, Experiment
    from dashboard.records.servers.models import Server
    from tests.unit.bench.plans import plan

    server = Server.objects.create(name="db1", kind="attached", host="192.0.2.7")
    data = plan().as_dict()
    rows = [Experiment(name=f"experiment {n}", plan=data, seed=1, state="done") for n in range(EXPERIMENTS)]
    made = Experiment.objects.bulk_create(rows)
    running = Experiment.objects.create(name="long", plan=data, seed=1, state="running")
    sizes = [(one, CELLS, "done") for one in made] + [(running, MANY_CELLS, "waiting")]
    same = {"server": server, "variant": "v", "workload": "w", "threads": 1, "repeat": 1}
    Cell.objects.bulk_create(
        (
            Cell(**same, experiment=one, position=n, block=n, state=state)
            for one, size, state in sizes
            for n in range(size)
        ),
        batch_size=2000,
    )
    Cell.objects.filter(experiment=running, position=0).update(state="running")
    return running.pk


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
        took_ms = statistics.median(_ms(lambda address=address: browser.get(address)) for _ in range(20))
        size_kb = len(answer.content) / 1000
        print(
            f"{address:32} {answer.status_code}  {took_ms:6.1f} ms ({took_ms / LIMIT_MS:.2f} of the limit)  "
            f"{size_kb:6.1f} KB  {asked} queries"
        )


def _ms(act) -> float:
    began = time.process_time()
    act()
    return (time.process_time() - began) * 1000


if __name__ == "__main__":
    main()
