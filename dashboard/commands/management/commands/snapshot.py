"""`manage.py snapshot FILE`: for deploy/install.sh --upgrade. Exit status 2: nothing was changed."""

from argparse import ArgumentParser
from pathlib import Path

from dashboard.backup import snapshot
from dashboard.commands.command import DurascopeCommand
from dashboard.records.fleet.apps import accept_newer


class Command(DurascopeCommand):
    help = "Keep the database in FILE while an upgrade changes it. For backups use `manage.py backup`."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--put-back", action="store_true", help="make FILE the database again")

    def handle(self, *, file: Path, put_back: bool, **_: object) -> None:
        accept_newer()
        self.say(snapshot.put_back(file) if put_back else snapshot.take(file))
