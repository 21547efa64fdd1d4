"""`manage.py up`: all programs on this machine, until Ctrl-C."""

from argparse import ArgumentParser

from django.conf import settings

from dashboard.commands.command import DurascopeCommand
from dashboard.local.arguments import add_address
from dashboard.local.stack import running


class Command(DurascopeCommand):
    help = (
        "Starts a private Redis, a worker, the scheduler and the web server, and keeps them running until Ctrl-C. "
        "Logs are in the home folder."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_address(parser)

    def handle(self, *, host: str, port: int | None, **_: object) -> None:
        try:
            with running(settings.HOME, host, port, self.say) as stack:
                self.say(f"Durascope is at {stack.address} (logs: {settings.HOME / 'logs'}). Ctrl-C stops it.")
                stack.watch()
        except KeyboardInterrupt:
            self.say("Stopped.")
