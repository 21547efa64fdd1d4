"""How long does the first page take, and how many questions does it ask, when there is much behind it?

    python tests/bench/front.py

Stores 50 servers, each with a measured pair of settings and 120 crash trials, 10,000 further experiments of 6 cells,
and 200 nights of each server, in a temporary SQLite of its own; prints milliseconds of CPU time (median of 20),
kilobytes and queries.
"""

import os
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SERVERS, EXPERIMENTS, CELLS, NIGHTS = 50, 10_000, 6, 200


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="durascope-bench-") as home:
        os.environ |= {"DURASCOPE_HOME": home, "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
        sys.path.insert(0, str(ROOT))
        Path(home, "staticfiles").mkdir()
        import django

        django.setup()
        from django.core.management import call_command

        from tests.bench.pages import _measure

        call_command("migrate", verbosity=0)
        for n in range(SERVERS):
            _measured(n)
        _many()
        _measure(["/", "/experiments/"])


def _measured(n: int) -> None:
    from tests.unit.front.test_front_page import measured
    from tests.unit.history import nights
    from tests.unit.results import factory, trials

    server = factory.server(f"server {n}")
    one = measured(server, threads=(8,), repeats=1, seconds=10)
    losses = {"process-kill": trials.HELD * 20, "power-loss": trials.HELD * 20}
    trials.add(one, {"1/1": losses, "2/0": losses, "0/0": losses})
    nights.history(server, [1000.0 + n for n in range(NIGHTS)])


def _many() -> None:
    from django.utils import timezone

    from dashboard.records.experiments.models import Cell, Experiment
    from dashboard.records.servers.models import Server
    from tests.unit.bench.plans import plan

    data, now = plan().as_dict(), timezone.now()
    rows = [
        Experiment(name=f"experiment {n}", plan=data, seed=1, state="done", created_at=now - timedelta(minutes=n))
        for n in range(EXPERIMENTS)
    ]
    servers = list(Server.objects.values_list("pk", flat=True))
    same = {"variant": "v", "workload": "w", "threads": 1, "repeat": 1, "state": "done"}
    Cell.objects.bulk_create(
        (
            Cell(**same, server_id=servers[at % SERVERS], experiment=one, position=n, block=n)
            for at, one in enumerate(Experiment.objects.bulk_create(rows, batch_size=1000))
            for n in range(CELLS)
        ),
        batch_size=2000,
    )


if __name__ == "__main__":
    main()
