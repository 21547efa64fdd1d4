"""`manage.py remove`: name what this installation stored on this machine. `manage.py remove --yes`: remove it.

Exit status: 0 removed, or nothing to remove; 1 only named; 2 refused, and nothing was removed.
"""

import sys
from argparse import ArgumentParser

from dashboard.commands.command import DurascopeCommand
from dashboard.local import removal
from workers.sandbox.builds import store


class Command(DurascopeCommand):
    help = (
        "Remove all data of this installation from this machine: results, keys, sandboxes. Without --yes it only names "
        "the folders and files."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--yes", action="store_true", help="remove them")

    def handle(self, *, yes: bool, **_: object) -> None:
        named = [*removal.folders(), *removal.databases()]
        (removal.remove if yes else removal.check)()
        for folder in named:
            self.stdout.write(f"{'removed' if yes else 'would be removed'}: {folder}")
        if (kept := store.folder()).is_dir() and not set(kept.parents) & set(named):
            self.stdout.write(f"stays: {kept}, the builds, which other installations share")
        if not yes:
            self.stdout.write("Nothing was removed. To remove these, results and keys included: --yes")
            sys.exit(1)
