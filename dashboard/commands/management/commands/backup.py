"""`manage.py backup FILE`: database, keys and recipes in one file, while everything runs. Exit status 2: nothing was
written."""

from argparse import ArgumentParser
from pathlib import Path

from dashboard.backup import actions, passphrase
from dashboard.commands.command import DurascopeCommand


class Command(DurascopeCommand):
    help = "Write the database, the keys of stored passwords and your recipes into FILE. See docs/deployment.md."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        passphrase.add_options(parser, "leave the keys out")

    def handle(self, *, file: Path, passphrase_file: Path | None, without_keys: bool, **_: object) -> None:
        secret = None if without_keys else passphrase.read(passphrase_file, twice=True)
        self.stdout.write("\n".join(actions.backup(file, secret)))
