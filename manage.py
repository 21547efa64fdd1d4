#!/usr/bin/env python
"""Django's command line; `python manage.py help` lists Durascope's own commands."""

import gc
import os
import select
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.core.management.base import BaseCommand


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    gc.disable()  # until the command is loaded. What is loaded stays, and is not scanned at the end either
    from django.core.management import ManagementUtility

    from dashboard.installation import owner
    from dashboard.installation.home import LOOKS_ONLY
    from dashboard.installation.usable import explained

    if sys.argv[1:2] == ["doctor"]:  # before the settings, which make what is missing
        os.environ[LOOKS_ONLY] = "1"
    if sys.argv[1:2] in (["backup"], ["restore"]):
        owner.become_owner()

    class Commands(ManagementUtility):
        def fetch_command(self, subcommand: str) -> "BaseCommand":
            command = super().fetch_command(subcommand)
            gc.freeze()
            gc.enable()
            return command

    try:
        Commands(sys.argv).execute()
        sys.stdout.flush()
    except BrokenPipeError:
        if not nobody_reads(sys.stdout.fileno()):
            raise
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, other programs end by it
        os.kill(os.getpid(), signal.SIGPIPE)
    except Exception as failure:
        if not (says := explained(failure)):
            raise
        sys.stderr.write(f"{says}\n")
        sys.exit(2)


def nobody_reads(fd: int) -> bool:
    """The reader closed the pipe, as `manage.py build list | head` does."""
    asked = select.poll()
    asked.register(fd, 0)
    return any(event & select.POLLERR for _, event in asked.poll(0))


if __name__ == "__main__":
    main()
