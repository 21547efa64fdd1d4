"""`manage.py demo`: from nothing to a finished comparison on this machine.

Exit status: 0 measured (or, without --once, then stopped by Ctrl-C), 1 some cells failed or the experiment did not
finish, 2 wrong arguments or a part that could not start.
"""

import sys
from argparse import ArgumentParser
from json import dumps

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.urls import reverse

from dashboard.commands.command import DurascopeCommand
from dashboard.findings import conclusion
from dashboard.findings.document import everything
from dashboard.local import demo
from dashboard.local.arguments import add_address, add_overrides
from dashboard.local.login import Login, administrator
from dashboard.local.stack import Stack, running
from dashboard.records.experiments import queries
from dashboard.records.experiments.models import Experiment


class Command(DurascopeCommand):
    help = (
        "Starts everything on this machine (see: up), measures what safety costs on a sandbox MariaDB, prints the "
        "finding, the address, a login and a share link, and runs until Ctrl-C. A second start reuses the "
        "database, the login, the sandbox and its images, and measures again; with --keep it shows the newest "
        "finished result instead."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_address(parser)
        add_overrides(parser)
        parser.add_argument("--once", action="store_true", help="stop everything and exit after measuring")
        parser.add_argument("--json", action="store_true", help="print the result as JSON, messages to stderr")
        parser.add_argument("--keep", action="store_true", help="do not measure again if there is a finished result")

    def handle(
        self, *, host: str, port: int | None, overrides: list[tuple[str, str]], once: bool, json: bool, keep: bool,
        **_: object,
    ) -> None:  # fmt: skip
        self.once, self.json, self.keep = once, json, keep
        status = 1
        try:
            demo.check(dict(overrides))
            with running(settings.HOME, host, port, self.say) as stack:
                login = administrator(settings.HOME)
                experiment, status = self._measured(stack, login, dict(overrides))
                self._tell(experiment)
                if not once:
                    self.say(self._places(experiment, stack, login))
                    stack.watch()
        except KeyboardInterrupt:
            self.say("Stopped.")
        sys.exit(status)

    def _measured(self, stack: Stack, login: Login, overrides: dict[str, str]) -> tuple[Experiment, int]:
        """The experiment when it is over, and the exit status."""
        server = demo.sandbox(login.user)
        kept = demo.finished(server) if self.keep else None
        experiment = kept or demo.start(server, login.user, overrides, self.say)
        if not self.once and not kept:
            live = reverse("experiments:show", args=[experiment.pk])
            self.say(f"Watch it at {stack.address}{live} (login: {login})")
        now = demo.follow(experiment, stack, self.say)
        for line in filter(None, (now["message"], *queries.failed_cells(experiment))):
            self.say(line)
        return experiment, 0 if now["state"] == Experiment.State.DONE and not now["failed"] else 1

    def _tell(self, experiment: Experiment) -> None:
        for sentence in conclusion.summary(experiment):
            self.say(sentence)
        if self.json:
            super().say(dumps(everything(experiment), indent=1, cls=DjangoJSONEncoder))

    def say(self, text: str) -> None:
        out = self.stderr if self.json else self.stdout
        out.write(text)
        out.flush()

    @staticmethod
    def _places(experiment: Experiment, stack: Stack, login: Login) -> str:
        return f"""
  Result      {stack.address}{reverse("results:page", args=[experiment.pk])}
  Dashboard   {stack.address}/
  Login       {login}
  Share link  {demo.share_link(experiment, login.user, stack.address)}
              (read-only, no login needed, for {demo.SHARED_DAYS} days)

Ctrl-C stops everything that was started."""
