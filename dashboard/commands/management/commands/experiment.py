"""Experiments from the command line: `manage.py experiment run RECIPE --server NAME [--set key=value] [--json]`,
`manage.py experiment resume ID [--json]`,
`manage.py experiment export ID FILE`, `manage.py experiment import FILE`, `manage.py experiment schema` and
`manage.py experiment crash-point TRIAL NUMBER [--to FILE]`, `manage.py experiment crash-points TRIAL [--most N]`.

Runs in this process: needs the database and sysbench, no browser, no web server, no Redis, no worker. It first restores
what a dead worker or command line left behind: changed settings and leased hosts. The log is HOME/logs/experiment.log.
Exit status:

    0  everything was measured; lost commits are a result too, see the JSON
    1  a cell or trial failed, a trial is unclear, the self-test of the checks failed, or the experiment did not finish
    2  wrong arguments, nothing was started
"""

import signal
import sys
import threading
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from json import dumps
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection

from dashboard.commands.command import DurascopeCommand
from dashboard.commands.crash_point import crash_point, more_crash_points
from dashboard.commands.files import own_transaction, write_new
from dashboard.findings import conclusion
from dashboard.findings.attached.followers import not_watched
from dashboard.findings.claims.in_words import claim_lines
from dashboard.findings.crash.self_test import self_test
from dashboard.findings.crash.trials import trials_of
from dashboard.findings.document import everything, not_restored
from dashboard.findings.written import estimates
from dashboard.installation import usable
from dashboard.local.arguments import add_overrides
from dashboard.local.log_file import log_lines_to
from dashboard.local.progress import ProgressLines
from dashboard.portable import shape
from dashboard.portable.actions import import_file
from dashboard.portable.refused import NoFile, NotImported
from dashboard.portable.write import file_of
from dashboard.records.experiments import actions, queries, shelf, why_queued
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet.models import Worker
from dashboard.records.fleet.task_queue import QueueDown
from dashboard.records.servers.models import Server
from dashboard.text.numbers import duration
from workers.bench.plan import WorkloadChoice
from workers.bench.recipes import QUICK, SIZES, Recipe
from workers.bench.workloads import OWN
from workers.conducting.conduct import conduct
from workers.errors import DurascopeError
from workers.sandbox.disk import own_mounts
from workers.transaction.read import read
from workers.upkeep import housekeeping, memory_watch, restores
from workers.upkeep.heartbeat import heartbeat
from workers.upkeep.periodic import duties, run_once

ROUND_ENDS_S = 1.0  # at the end, wait this long for a running round


class Command(DurascopeCommand):
    help = "Run an experiment, list recipes, move an experiment to another installation, or repeat a crash point."

    def add_arguments(self, parser: ArgumentParser) -> None:
        commands = parser.add_subparsers(dest="command", required=True)
        shown = commands.add_parser("recipes", help="list the recipes, or show one with its claims")
        shown.add_argument("recipe", nargs="?", default="", help="the recipe to show")
        run = commands.add_parser("run", help="run a recipe on one or more servers and print the result")
        run.add_argument("recipe", help="see: manage.py experiment recipes")
        run.add_argument("--server", action="append", required=True, metavar="NAME", help="repeat for several")
        run.add_argument("--size", choices=tuple(SIZES), default=QUICK, help="quick (minutes) or full (hours)")
        add_overrides(run)
        run.add_argument("--transaction", metavar="FILE", help="measure your own transaction instead")
        run.add_argument("--json", action="store_true", help="print the result as JSON on standard output")
        run.add_argument("--confirm-production", action="store_true", help="load on a production server is intended")
        again = commands.add_parser("resume", help="measure what an experiment that ended has no result of")
        again.add_argument("id", type=int, help="the address of its page ends in it")
        again.add_argument("--json", action="store_true", help="print the result as JSON on standard output")
        export = commands.add_parser("export", help="write an experiment to a file for another installation")
        export.add_argument("id", type=int)
        export.add_argument("file", type=Path, help="a new file, name.zip")
        commands.add_parser("import", help="store the experiment of a file").add_argument("file", type=Path)
        point = commands.add_parser("crash-point", help="recover a kept crash point once more and print the verdict")
        point.add_argument("trial", type=int, help="the address of its page ends in it")
        point.add_argument("number", type=int, help="see the page of the trial")
        point.add_argument("--to", type=Path, metavar="FILE", help="write its archive instead: a new file, name.tar.gz")
        more = commands.add_parser("crash-points", help="try more crash points of a recording that a trial keeps")
        more.add_argument("trial", type=int, help="the address of its page ends in it")
        more.add_argument("--most", type=int, default=20, metavar="N", help="how many (20)")
        commands.add_parser("schema", help="the JSON Schema of such files, see docs/portable.md")

    def handle(self, *_: object, command: str, **options: Any) -> None:
        begins: dict[str, Callable[..., Experiment]] = {"run": self._create, "resume": _resumed}
        if command in begins:
            sys.exit(self._run(begins[command], **options))
        self.stdout.write(SAYS[command](**options))
        sys.exit(0)

    def _run(self, begin: Callable[..., Experiment], *, json: bool, **options: Any) -> int:
        usable.check_installation()
        experiment = begin(**options)
        self._tell_before(experiment)
        for ending in (signal.SIGINT, signal.SIGTERM):
            signal.signal(ending, lambda *_: heartbeat.stopping.set())
        with log_lines_to(settings.HOME / "logs" / "experiment.log"):
            self._conduct(experiment)
        experiment.refresh_from_db()
        failed = self._tell_failures(experiment)
        if json:
            self.stdout.write(dumps(everything(experiment), indent=1, cls=DjangoJSONEncoder))
        else:
            self.stdout.write("\n".join([*conclusion.sentences(experiment), *claim_lines(experiment)]))
        return 1 if failed or experiment.state != Experiment.State.DONE else 0

    def _create(
        self,
        *,
        recipe: str,
        server: list[str],
        size: str,
        overrides: list[tuple[str, str]],
        confirm_production: bool,
        transaction: str | None,
        **_: object,
    ) -> Experiment:
        loaded = shelf.load(recipe)
        servers = [self._server(name) for name in server]
        if elsewhere := [one for one in servers if one.site != settings.SITE]:
            raise DurascopeError(
                f"{elsewhere[0]} is on site {elsewhere[0].site}, and this host is on site {settings.SITE}.",
                f"Run it there, or on a host that reaches it too: DURASCOPE_SITE={elsewhere[0].site}.",
            )
        plan = actions.plan_recipe(loaded, servers, dict(overrides), size)
        if transaction:
            text = own_transaction(transaction)
            plan = replace(plan, workloads=(WorkloadChoice(read(text).title, OWN, {"file": text}),))
        return actions.create(plan, None, recipe=loaded.key, size=size, production_confirmed=confirm_production)

    @staticmethod
    def _server(name: str) -> Server:
        found = Server.objects.filter(name=name).first()
        if found is None:
            known = ", ".join(Server.objects.values_list("name", flat=True)) or "none yet"
            raise DurascopeError(f"No server is called {name!r}.", f"Registered: {known}.")
        return found

    def _conduct(self, experiment: Experiment) -> None:
        """Measure in a separate thread and print progress in this one. Ctrl-C ends it within two seconds, unless a
        start command of a server that a dead worker left down is running."""
        own_mounts.enter()
        worker = heartbeat.start()
        measuring = threading.Thread(target=self._measure, args=(experiment.pk, worker))
        measuring.start()
        duties.start(housekeeping.after_dead_workers, restores.restore_all)
        duties.start(memory_watch.look, every_s=memory_watch.LOOK_EVERY_S)
        progress = ProgressLines(self.stderr.write)
        while measuring.is_alive():
            measuring.join(1)
            progress.tell(_now(experiment))
        duties.stop(ROUND_ENDS_S)

    @staticmethod
    def _measure(experiment_id: int, worker: Worker) -> None:
        """Dead workers are cleaned up before the experiment takes the host and after it returned it. Between these the
        host is busy, and afterwards perhaps no worker is alive."""
        try:
            _put_in_order()
            while conduct(experiment_id, worker) is None and not heartbeat.stopping.wait(2):
                # Another experiment uses the host: wait. Or another worker claimed this one: watch it.
                if Experiment.objects.get(pk=experiment_id).is_over:
                    return
                _put_in_order()
            if not heartbeat.stopping.is_set():
                _put_in_order()
        finally:
            connection.close()

    def _tell_before(self, experiment: Experiment) -> None:
        plan = experiment.as_plan()
        if not all(target.is_sandbox for target in plan.targets):
            self.stderr.write(f"Guardrails on attached servers: {plan.limits.in_words}.")
        for replica in not_watched(plan):
            self.stderr.write(replica)
        for estimate in estimates(plan, experiment.created_at).values():
            self.stderr.write(estimate.says)

    def _tell_failures(self, experiment: Experiment) -> int:
        if experiment.error:
            self.stderr.write(f"{experiment.error} {experiment.fix}".strip())
        for left in not_restored(experiment).select_related("server"):
            what = f"{left.get_kind_display()} {left.name}".strip()
            self.stderr.write(f"Not restored on {left.server}: {what}. {left.problem}".strip())
        for failed in (cells := queries.failed_cells(experiment)):
            self.stderr.write(failed)
        return len(cells) + self._tell_crashes(experiment)

    def _tell_crashes(self, experiment: Experiment) -> int:
        trials = trials_of(experiment)
        untold = [trial for trial in trials if trial.is_unknown]
        for trial in untold:
            self.stderr.write(
                f"{trial.variant}, {trial.kind}: unclear: {trial.error or 'the evidence is not complete'}"
            )
        trusted = self_test(trials)
        if trusted.failed:
            self.stderr.write(trusted.says)
        return len(untold) + trusted.failed


def _resumed(*, id: int, **_: object) -> Experiment:
    """A worker of the site may begin it first: then its progress is told."""
    experiment = Experiment.objects.filter(pk=id).first()
    if experiment is None:
        raise DurascopeError(f"There is no experiment {id}.", "The address of its page ends in its number.")
    with suppress(QueueDown):  # no worker is needed
        actions.resume(experiment, None)
    experiment.refresh_from_db()
    return experiment


def _now(experiment: Experiment) -> queries.LiveState:
    """The state of an experiment that this process measures: it waits for no worker."""
    experiment.refresh_from_db()
    activity = why_queued.why(experiment, needs_worker=False) or experiment.activity
    return {**queries.live_state(experiment), "activity": activity}


def _export(*, id: int, file: Path, **_: object) -> str:
    experiment = Experiment.objects.filter(pk=id).first()
    if experiment is None:
        raise NoFile(f"There is no experiment {id}. Nothing was written.", "The address of its page ends in it.")
    content = file_of(experiment)
    write_new(file, content)
    return f"{experiment} is written to {file}, {len(content):,} bytes."


def _import(*, file: Path, **_: object) -> str:
    try:
        with file.open("rb") as opened:
            imported = import_file(None, opened)
    except OSError as refused:
        raise NotImported(
            f"{file} cannot be read: {refused.strerror or refused}", "Name a file that can be read."
        ) from None
    return f"{imported.says} It is experiment {imported.experiment.pk}."


def _put_in_order() -> None:
    """In this order: a setting is restored after its experiment was taken from the dead worker."""
    run_once(housekeeping.after_dead_workers)
    run_once(restores.restore_all)


def _recipes(*, recipe: str, **_: object) -> str:
    """One with its claims; or a paragraph for each, then the files that cannot be used and why."""
    if recipe:
        one = shelf.load(recipe)
        claims = [f"{claim.id}  {claim.says}\n    {claim.in_words}" for claim in one.claims]
        return "\n".join([f"{one.key}: {one.title}", one.says, _sizes(one), "", *claims])
    known = shelf.shelf()
    told = [f"{one.key}: {one.title}\n    {one.says}\n    {_sizes(one)}" for one in known.recipes.values()]
    return "\n".join([*told, *(f"cannot be used: {why}" for why in known.broken.values())])


def _sizes(recipe: Recipe) -> str:
    sizes = [f"{size['key']} about {duration(size['estimate_s'])}" for size in shelf.sizes(recipe)]
    ids = ", ".join(recipe.claim_ids)
    return "; ".join([*sizes, *([f"claims {ids}"] if ids else [])])


SAYS: Mapping[str, Callable[..., str]] = {
    "recipes": _recipes,
    "export": _export,
    "import": _import,
    "crash-point": crash_point,
    "crash-points": more_crash_points,
    "schema": lambda **_: dumps(shape.schema(), indent=1),
}
