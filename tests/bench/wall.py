"""Wall time of an experiment / seconds of load asked for: 24 cells of 10 s on a sandbox.

    python tests/bench/wall.py [--measure 10]

Goal: at most 1.15. Runs in a home of its own, in this process, as `manage.py experiment run` does.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", type=int, default=10, help="seconds a cell")
    measure_s = parser.parse_args().measure
    with tempfile.TemporaryDirectory(prefix="durascope-wall-") as folder:
        os.environ |= {"DURASCOPE_HOME": folder, "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
        import django

        django.setup()
        report(measure_s)


def report(measure_s: int) -> None:
    from django.core.management import call_command

    from dashboard.records.experiments import actions
    from dashboard.records.servers.models import Server
    from workers.bench import recipes
    from workers.conducting.conduct import conduct
    from workers.upkeep.heartbeat import Heartbeat

    call_command("migrate", verbosity=0)
    server = Server.objects.create(name="Sandbox", kind="sandbox", build="system-mariadb")
    length = {"warmup_s": "0", "measure_s": str(measure_s), "repeats": "2", "trials": "0"}
    plan = actions.plan_recipe(recipes.load("what-does-safety-cost"), [server], length)
    experiment = actions.create(plan, None)
    heartbeat = Heartbeat()
    worker = heartbeat.start()
    start = time.monotonic()
    experiment = conduct(experiment.pk, worker)
    wall_s = time.monotonic() - start
    heartbeat.stop()
    load_s = plan.size * measure_s
    print(f"{plan.size} cells of {measure_s} s: {experiment.state}, wall {wall_s:.1f} s, ratio {wall_s / load_s:.3f}")


if __name__ == "__main__":
    main()
