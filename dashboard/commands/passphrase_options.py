"""The options of `backup` and `restore` about keys. A passphrase is never an argument: others could see it."""

from argparse import ArgumentParser
from pathlib import Path


def add_passphrase(parser: ArgumentParser, without: str) -> None:
    either = parser.add_mutually_exclusive_group()
    either.add_argument(
        "--passphrase-file",
        type=Path,
        metavar="FILE",
        help="a file that only you can read, with the passphrase of the keys (default: asked for)",
    )
    either.add_argument("--without-keys", action="store_true", help=without)
