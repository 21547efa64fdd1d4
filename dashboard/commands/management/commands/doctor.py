"""`manage.py doctor`: what works on this host, and how to fix what does not."""

import sys
from argparse import ArgumentParser
from dataclasses import asdict
from json import dumps

from dashboard.commands.command import DurascopeCommand
from dashboard.local.doctor import TITLES, looked_at

STATUS = {"works": 0, "limited": 1, "fails": 2}


class Command(DurascopeCommand):
    help = "Say what works on this host, and how to fix what does not. Exit status 2: Durascope cannot run; 1: it can "
    help += "measure less."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument(
            "--accept",
            action="append",
            default=[],
            choices=TITLES,
            metavar="TITLE",
            help="a limit that you know, such as mail: it does not count for the exit status",
        )

    def handle(self, *, json: bool, accept: list[str], **_: object) -> None:
        found = []
        for one in looked_at():
            found.append({**asdict(one), "accepted": one.state == "limited" and one.title in accept})
            if not json:
                self.say(f"{'accepted' if found[-1]['accepted'] else one.state:<8} {one.title}: {one.says}")
        if json:
            self.stdout.write(dumps(found, indent=2))
        sys.exit(max(0 if one["accepted"] else STATUS[one["state"]] for one in found))
