"""Runs it; see the package. Prints a line for each round and JSON at the end. Exit status 1: an invariant broke."""

import argparse
import os
import sys

from tests.bench.chaos import place


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.chaos")
    parser.add_argument("--faults", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=90, help="no round begins after that")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--postgresql", action="store_true", help="on a private PostgreSQL, not on SQLite")
    parser.add_argument("--short", action="store_true", help="faults last 3 s at most, and each kind comes once")
    parser.add_argument("--only", default="", metavar="NAME,NAME", help="these faults")
    parser.add_argument("--list", action="store_true", help="the faults that there are")
    return parser.parse_args()


def main() -> int:
    asked = arguments()
    with place.made(asked.postgresql) as here:
        environment = here.environment()
        os.environ.clear()
        os.environ.update(environment, DJANGO_SETTINGS_MODULE="dashboard.settings")
        import django

        django.setup()
        from tests.bench.chaos import campaign

        return campaign.run(here, asked)


if __name__ == "__main__":
    sys.exit(main())
