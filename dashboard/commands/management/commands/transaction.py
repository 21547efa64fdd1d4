"""A transaction of your own: `manage.py transaction check FILE`. Exit status 2: the file is wrong."""

from argparse import ArgumentParser

from dashboard.commands.command import Subcommands
from dashboard.commands.files import own_transaction
from workers.transaction.preview import shown
from workers.transaction.read import read


class Command(Subcommands):
    help = "Check the file of an own transaction, and show its statements with example values."
    stopped = "Nothing was changed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        commands = parser.add_subparsers(dest="command", required=True)
        check = commands.add_parser("check", help="check a file and show its statements; nothing is run")
        check.add_argument("file", metavar="FILE", help="see docs/own-transaction.md")

    def _check(self, *, file: str, **_: object) -> None:
        self.stdout.write(shown(read(own_transaction(file))))
