"""A transaction of your own: `manage.py transaction check FILE`. Exit status 2: the file is wrong."""

from argparse import ArgumentParser
from pathlib import Path

from dashboard.commands.own_file import text_of
from dashboard.commands.subcommands import Subcommands
from workers.transaction.preview import shown
from workers.transaction.read import read


class Command(Subcommands):
    help = "Check the file of an own transaction, and show its statements with example values."
    requires_system_checks = ()  # needs neither database nor Redis
    stopped = "Nothing was changed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        commands = parser.add_subparsers(dest="command", required=True)
        check = commands.add_parser("check", help="check a file and show its statements; nothing is run")
        check.add_argument("file", type=Path, metavar="FILE", help="see docs/own-transaction.md")

    def _check(self, *, file: Path, **_: object) -> None:
        self.stdout.write(shown(read(text_of(file))))
