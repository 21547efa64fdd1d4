"""From the decision of each guardrail to the last restored change, on a real primary with a replica.

    python -m tests.bench.guardrails [ROUNDS] [BUILD ...]

A machine that is so busy that commits take 30 ms without any trouble cannot measure the trip of the p99.

Each limit is passed by what passes it in practice: a replica that waits for a lock, other clients, a full disk, a
device whose flush takes 40 ms. The last line of each build is a load from two workers. Goal: at most 2 s.
"""

import os
import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dashboard.records.servers.models import Server
    from tests.real.guarded import GuardedPair, Trouble

GOAL_S = 2.0


def main(rounds: int = 3, *keys: str) -> None:
    with tempfile.TemporaryDirectory(prefix="ds-guard-", dir="/var/tmp") as folder:
        Path(folder).chmod(0o755)
        os.environ |= {"DURASCOPE_HOME": f"{folder}/home", "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        for key in keys or ("system-mariadb",):
            measure(Path(folder), key, rounds)


def measure(root: Path, key: str, rounds: int) -> None:
    from tests.real.crew import Crew
    from tests.real.guarded import TROUBLES, pair_of, registered
    from workers.sandbox import builds

    build = builds.find(key)
    with ExitStack() as opened:
        pair, crew = opened.enter_context(pair_of(root, build, {})), Crew(root)
        opened.callback(crew.end)
        server = registered(pair, key, f"replica of {key}")
        print(f"{build.title} {build.version_text}", flush=True)
        for name, trouble in TROUBLES.items():
            if "busy" in name:
                continue  # its disk is for the tests
            crew.of(1)
            tell(name, [stopped(pair, server, trouble, 1) for _ in range(rounds)])
        crew.of(2)
        tell("threads, 2 workers", [stopped(pair, server, TROUBLES["threads"], 2) for _ in range(rounds)])


def stopped(pair: "GuardedPair", server: "Server", trouble: "Trouble", workers: int) -> dict[str, float]:
    """Change -> seconds after the decision. Real workers run the experiment."""
    from dashboard.records.experiments import actions
    from dashboard.records.experiments.models import Experiment
    from tests.real.guarded import planned, restored_after_s
    from tests.real.parts import until

    experiment = planned(server, workers=workers, **trouble.limits)
    actions.notify_workers(experiment.pk)
    now = Experiment.objects.filter(pk=experiment.pk)
    until(lambda: "measuring" in now.get().activity or now.get().is_over)
    with trouble.begin(pair):
        until(lambda: now.get().is_over)
    ended = now.get()
    if ended.state != "interrupted":
        raise SystemExit(f"{trouble.says}: not stopped during the load, but {ended.state}: {ended.error}")
    return restored_after_s(ended)


def tell(name: str, took: list[dict[str, float]]) -> None:
    last_s = [max(one.values()) for one in took]
    slowest = max(took, key=lambda one: max(one.values()))
    parts = ", ".join(f"{what.split('_')[0]} {at:.2f}" for what, at in sorted(slowest.items(), key=lambda one: one[1]))
    verdict = "" if max(last_s) <= GOAL_S else "  ABOVE THE GOAL"
    print(
        f"{name}: median {statistics.median(last_s):.2f} s, longest {max(last_s):.2f} s ({parts}){verdict}", flush=True
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]), *sys.argv[2:])
