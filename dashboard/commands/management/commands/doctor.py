"""`manage.py doctor`: what works on this host, and how to fix what does not."""

import sys
from argparse import ArgumentParser
from dataclasses import asdict
from json import dumps

from dashboard.commands.command import DurascopeCommand
from dashboard.local.doctor import looked_at

STATUS = {"works": 0, "limited": 1, "fails": 2}


class Command(DurascopeCommand):
    help = "Say what works on this host, and how to fix what does not. Exit status 2: Durascope cannot run; 1: it can "
    help += "measure less."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *, json: bool, **_: object) -> None:
        found = []
        for one in looked_at():
            found.append(one)
            if not json:
                self.say(f"{one.state:<8} {one.title}: {one.says}")
        if json:
            self.stdout.write(dumps([asdict(one) for one in found], indent=2))
        sys.exit(max(STATUS[one.state] for one in found))
