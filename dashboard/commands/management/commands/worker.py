"""`manage.py worker --site NAME`: this host joins and measures the servers of that site, until it is stopped.

Looks first whether it can do its work here, then becomes a Celery worker. Exit status: 2 it was not started, and why
is said; else that of Celery (0: stopped by SIGTERM or Ctrl-C; what was measured is kept).
"""

import os
import sys
from argparse import ArgumentParser

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connections

from dashboard.installation.home import PROJECT
from dashboard.records.fleet.site_names import ANYBODY
from workers.errors import DurascopeError
from workers.upkeep import start_check

NOT_STARTED = 2
OPTIONS = ("--pool=threads", "--without-mingle", "--without-gossip", "-l", "info")


class Command(BaseCommand):
    help = "Join as a worker: measure the servers of a site from this host. See docs/deployment.md."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--site",
            default=settings.SITE,
            metavar="NAME",
            help=f"where this host is: it measures what is registered there (default: {settings.SITE})",
        )
        parser.add_argument(
            "--only-site",
            action="store_true",
            help="leave mail, webhooks, schedules and history to workers elsewhere",
        )

    def handle(self, *, site: str, only_site: bool, **_: object) -> None:
        try:
            start_check.check(site)
        except DurascopeError as refused:
            self.stderr.write(str(refused))
            sys.exit(NOT_STARTED)
        connections.close_all()
        os.chdir(PROJECT)
        os.environ["DURASCOPE_SITE"] = site
        argv = [sys.executable, "-m", "celery", "-A", "workers.celery", "worker", *OPTIONS]
        argv += ["-n", f"{site}.{os.getpid()}@%h"]  # of its own: several may run on a host
        argv += ["-X", ANYBODY] if only_site else []
        sys.stdout.flush()
        os.execv(sys.executable, argv)  # noqa: S606 - the same process goes on: whoever started it knows its pid
