"""What the commands of manage.py have in common. Exit status 2: refused or stopped; standard error says why."""

import sys

from django.core.management.base import BaseCommand

from workers.errors import DurascopeError

REFUSED = 2


class DurascopeCommand(BaseCommand):
    requires_system_checks = ()  # they load every page and double the time of the start

    def say(self, text: str) -> None:
        """At once, also into a file."""
        self.stdout.write(text)
        self.stdout.flush()

    def execute(self, *args: object, **options: object) -> str | None:
        try:
            return super().execute(*args, **options)
        except DurascopeError as refused:
            self.stderr.write(str(refused))
            sys.exit(REFUSED)


class Subcommands(DurascopeCommand):
    """`manage.py build list`: calls `_VERB` with the parsed options. `stopped`: what Ctrl-C leaves."""

    stopped: str

    def handle(self, *_: object, command: str, **options: object) -> None:
        try:
            getattr(self, f"_{command}")(**options)
        except KeyboardInterrupt:
            self.stderr.write(f"Stopped. {self.stopped}")
            sys.exit(REFUSED)
