"""`manage.py restore FILE`: put an installation back. Exit status 2: nothing was changed."""

import sys
from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand

from dashboard.backup import actions, archive, passphrase
from dashboard.commands.management.commands.restored import pending
from dashboard.commands.passphrase_options import add_passphrase
from dashboard.records.fleet.apps import accept_newer
from workers.errors import DurascopeError


class Command(BaseCommand):
    help = "Restore the backup FILE. Stop everything first. See docs/deployment.md."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--overwrite", action="store_true", help="replace the data of this installation")
        add_passphrase(parser, "restore without the keys in the backup")

    def handle(
        self, *, file: Path, overwrite: bool, passphrase_file: Path | None, without_keys: bool, **_: object
    ) -> None:
        accept_newer()
        try:
            with archive.opened(file) as opened:
                asks = opened.has_keys and not without_keys
                secret = passphrase.read(passphrase_file, twice=False) if asks else None
                done = actions.restore(file, opened, secret, overwrite=overwrite)
        except DurascopeError as refused:
            self.stderr.write(str(refused))
            sys.exit(2)
        self.stdout.write("\n".join([*done.says, "Held. Check this, then: manage.py restored --release", *pending()]))
