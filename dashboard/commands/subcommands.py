"""Commands with verbs: `manage.py build list`."""

import sys

from django.core.management.base import BaseCommand

from workers.errors import DurascopeError

REFUSED = 2


class Subcommands(BaseCommand):
    """Calls `_VERB` with the parsed options. `stopped`: what Ctrl-C leaves. Exit status 2: refused or stopped."""

    stopped: str

    def handle(self, *_: object, command: str, **options: object) -> None:
        try:
            getattr(self, f"_{command}")(**options)
        except DurascopeError as refused:
            self.stderr.write(str(refused))
            sys.exit(REFUSED)
        except KeyboardInterrupt:
            self.stderr.write(f"Stopped. {self.stopped}")
            sys.exit(REFUSED)
