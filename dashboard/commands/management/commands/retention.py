"""`manage.py retention --dry-run`: what is thinned out after how long, what is due, how large the database is and how
large a year is. `manage.py retention`: thin it out now. A worker does the same every hour."""

from argparse import ArgumentParser

from django.conf import settings
from django.utils import timezone

from dashboard.commands.command import DurascopeCommand
from dashboard.records.retention import size
from dashboard.records.retention.thin_out import thin_out, would_thin
from dashboard.text.numbers import size as written

A_DAY_S = 86_400.0


class Command(DurascopeCommand):
    help = "Thin out old data. See docs/retention.md."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="say what is due, and change nothing")

    def handle(self, *, dry_run: bool, **_: object) -> None:
        now = timezone.now()
        found = would_thin(now, settings.KEEP_DAYS) if dry_run else thin_out(now, settings.KEEP_DAYS, A_DAY_S)
        for one in found:
            kept = f"kept for {one.days} days" if one.days else "kept for ever"
            self.stdout.write(f"{one.what}: {kept}, {'due' if dry_run else 'thinned out'}: {one.rows:,}")
        used = size.used(now)
        self.stdout.write(f"Database: {written(used.bytes)}.")
        if used.a_year is None:
            self.stdout.write("Its growth is shown once the first experiment is 7 days old.")
        else:
            self.stdout.write(f"A year at the rate of the last {used.days} days: {written(used.a_year)}.")
