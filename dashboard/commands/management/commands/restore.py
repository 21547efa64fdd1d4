"""`manage.py restore FILE`: put an installation back. Exit status 2: nothing was changed."""

from argparse import ArgumentParser
from pathlib import Path

from dashboard.backup import actions, archive, passphrase
from dashboard.commands.command import DurascopeCommand
from dashboard.commands.management.commands.restored import pending
from dashboard.records.fleet.apps import accept_newer


class Command(DurascopeCommand):
    help = "Restore the backup FILE. Stop everything first. See docs/deployment.md."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--overwrite", action="store_true", help="replace the data of this installation")
        passphrase.add_options(parser, "restore without the keys in the backup")

    def handle(
        self, *, file: Path, overwrite: bool, passphrase_file: Path | None, without_keys: bool, **_: object
    ) -> None:
        accept_newer()
        with archive.opened(file) as opened:
            asks = opened.has_keys and not without_keys
            secret = passphrase.read(passphrase_file, twice=False) if asks else None
            told = actions.restore(file, opened, secret, overwrite=overwrite)
        self.stdout.write("\n".join([*told, "Held. Check this, then: manage.py restored --release", *pending()]))
