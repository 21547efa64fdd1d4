"""Does Durascope still work with 10,000 servers at 100 sites, 200 workers, 1,000 scheduled experiments a night, and
10^6 runs of 100 seconds?

    python -m tests.bench.scale [pages rounds night] [--part 0.01] [--keep FOLDER]

A private PostgreSQL is filled with that many rows. `pages` prints milliseconds (median and longest of five), queries
and kilobytes of each page; `rounds` the seconds of each duty that workers repeat; `night` lets the workers' own
database code take 1,000 experiments from queue to end. `--part` makes everything smaller. The whole size needs about
12 GB in /var/tmp.
"""

import argparse
import os
import shutil
import tempfile
import time
from pathlib import Path

from tests.bench.large import database
from tests.bench.scale.fill import Size, fill

PARTS = ("pages", "rounds", "night")


def main() -> None:
    asked = _asked()
    folder = Path(asked.keep or tempfile.mkdtemp(prefix="durascope-scale-", dir="/var/tmp"))
    folder.mkdir(exist_ok=True)
    folder.chmod(0o755)  # PostgreSQL runs as somebody else
    try:
        with database("postgresql", folder):
            _measure(asked.measure or PARTS, Size(asked.part))
    finally:
        if not asked.keep:
            shutil.rmtree(folder)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("measure", nargs="*", choices=[*PARTS, []])
    parser.add_argument("--part", type=float, default=1.0)
    parser.add_argument("--keep", metavar="FOLDER")
    return parser.parse_args()


def _measure(wanted: list[str], size: Size) -> None:
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    if not User.objects.filter(username="bench").exists():
        began = time.monotonic()
        fill(size)
        print(f"made in {time.monotonic() - began:.0f} s")
    from tests.bench.scale import night, pages, rounds

    print(f"load of this machine: {os.getloadavg()[0]:.1f}")
    if "pages" in wanted:
        pages.measure()
    if "rounds" in wanted:
        rounds.measure()
    if "night" in wanted:
        night.measure(size.workers, size.schedules)


if __name__ == "__main__":
    main()
