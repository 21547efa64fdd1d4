"""From the decision of a guardrail to the last restored change, on a real server: median and longest of ROUNDS runs.

    python tests/bench/guardrails.py [ROUNDS]

Clients that sleep pass the limit of running threads. Goal: at most 2 s.
"""

import os
import statistics
import sys
import tempfile
import threading
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from workers.errors import DurascopeError
from workers.sandbox import builds
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect
from workers.servers.target import Target

if TYPE_CHECKING:
    from dashboard.records.experiments.models import Experiment
    from dashboard.records.servers.models import Server

CLIENTS = 12


def sleep(target: Target) -> None:
    with suppress(DurascopeError), closing(connect(target)) as link:
        ask.rows(link, "SELECT SLEEP(12)")


def experiment_on(server: "Server") -> "Experiment":
    from dashboard.records.experiments import actions
    from workers.bench import recipes

    length = {"threads": "8", "warmup_s": "0", "measure_s": "60", "repeats": "1", "trials": "0"}
    plan = actions.plan_recipe(recipes.load("what-does-safety-cost"), [server], length | {"max_threads_running": "6"})
    own = tuple(
        replace(one, settings={name: value for name, value in one.settings.items() if name != "log_bin"})
        for one in plan.variants
    )
    return actions.create(replace(plan, variants=own, max_p99_ms=0), None)


def restored_after_s(server: "Server", target: Target) -> float:
    """Clients come while it measures."""
    from dashboard.findings.stored import read
    from dashboard.records.holds.models import PendingRestore, ServerWatch
    from workers.conducting.conduct import conduct
    from workers.guardrails.limit import WatchRecord
    from workers.upkeep.heartbeat import Heartbeat

    heartbeat, experiment = Heartbeat(), experiment_on(server)
    with ExitStack() as waiting:
        for _ in range(CLIENTS):
            late = threading.Timer(15, sleep, [target])
            late.start()
            waiting.callback(late.join)
        ended = conduct(experiment.pk, heartbeat.start())
    heartbeat.stop()
    record = read(WatchRecord, ServerWatch.objects.get(experiment=experiment).data)
    if ended is None or record.trip is None:
        raise SystemExit(f"not stopped: {ended and ended.state} {ended and ended.error}")
    rows = PendingRestore.objects.filter(experiment=experiment)
    last = max(row.restored_at.timestamp() for row in rows if row.restored_at)
    print(f"{record.trip.says}: {rows.count()} changes restored {last - record.trip.at:.2f} s later", flush=True)
    return last - record.trip.at


def main(rounds: int = 5) -> None:
    with tempfile.TemporaryDirectory(prefix="ds-guard-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        os.environ |= {"DURASCOPE_HOME": f"{folder}/home", "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
        import django

        django.setup()
        from django.core.management import call_command

        from dashboard.records.servers.models import Server

        call_command("migrate", verbosity=0)
        with Sandbox.create(Path(folder), builds.find("system-mariadb"), {"log_bin": "ON"}, name="bench") as sandbox:
            own = sandbox.target
            server = Server(name="guarded", kind="attached", socket=own.socket, host=own.host, user=own.user)
            server.set_password(own.password)
            server.save()
            took_s = [restored_after_s(server, own) for _ in range(rounds)]
    print(f"{rounds} runs: median {statistics.median(took_s):.2f} s, longest {max(took_s):.2f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
