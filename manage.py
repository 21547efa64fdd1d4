#!/usr/bin/env python
"""Django's command line; `python manage.py help` lists Durascope's own commands."""

import os
import select
import signal
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
    from django.core.management import execute_from_command_line

    from dashboard.installation.usable import explained

    try:
        execute_from_command_line(sys.argv)
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
