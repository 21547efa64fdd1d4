"""`manage.py backup FILE`: database, keys and recipes in one file, while everything runs. Exit status 2: nothing was
written."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand

from dashboard.backup import actions, passphrase
from dashboard.commands.passphrase_options import add_passphrase
from workers.errors import DurascopeError


class Command(BaseCommand):
    help = "Write the database, the keys of stored passwords and your recipes into FILE. See docs/deployment.md."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        add_passphrase(parser, "leave the keys out")

    def handle(self, *, file: Path, passphrase_file: Path | None, without_keys: bool, **_: object) -> None:
        try:
            secret = None if without_keys else passphrase.read(passphrase_file, twice=True)
            done = actions.backup(file, secret)
        except DurascopeError as refused:
            self.stderr.write(str(refused))
            sys.exit(2)
        self.stdout.write("\n".join(done.says))
