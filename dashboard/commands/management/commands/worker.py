"""`manage.py worker --site NAME`: this host measures the servers of that site, until it is stopped.

Checks first whether this host can do the work, then runs a Celery worker in this process: Celery's own command line
would load Django a second time, and a terminal's line editor. Exit status: 2 not started, with the reason; else that of
Celery (0: stopped by SIGTERM or Ctrl-C; finished measurements are kept).
"""

import gc
import os
import socket
import sys
from argparse import ArgumentParser

from django.conf import settings
from django.db import connections

from dashboard.commands.command import DurascopeCommand
from dashboard.installation.home import PROJECT
from dashboard.records.fleet.site_names import ANYBODY
from workers.celery import app
from workers.sandbox.disk import own_mounts
from workers.upkeep import start_check

OPTIONS = {"without_mingle": True, "without_gossip": True, "loglevel": "INFO"}


class Command(DurascopeCommand):
    help = "Join as a worker: measure the servers of a site from this host. See docs/deployment.md."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--site",
            default=settings.SITE,
            metavar="NAME",
            help=f"the site of this host: it measures the servers of that site (default: {settings.SITE})",
        )
        parser.add_argument(
            "--only-site",
            action="store_true",
            help="leave mail, webhooks, schedules and history to workers elsewhere",
        )

        parser.add_argument(
            "--needs-power-loss",
            action="store_true",
            help="do not start if this host cannot simulate power losses and the networks of clusters",
        )

    def handle(self, *, site: str, only_site: bool, needs_power_loss: bool, **_: object) -> None:
        own_mounts.enter()
        if needs_power_loss:
            start_check.check_power_loss()
        start_check.check(site)
        connections.close_all()
        os.chdir(PROJECT)
        os.environ["DURASCOPE_SITE"] = settings.SITE = site  # for its children and its queues
        gc.disable()  # the tasks are loaded now, and stay
        worker = app.Worker(
            hostname=f"{site}.{os.getpid()}@{socket.gethostname()}",  # unique: several workers may run on a host
            exclude_queues=[ANYBODY] if only_site else [],
            **OPTIONS,
        )
        gc.freeze()
        gc.enable()
        worker.start()
        sys.exit(worker.exitcode)
