"""Arguments that several commands have."""

from argparse import ArgumentParser, ArgumentTypeError

from workers.bench.recipes.recipe import SETTABLE


def add_address(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--port", type=port_number, help="where the web server listens (default: 8000 or the next free)"
    )
    parser.add_argument("--host", default="127.0.0.1", help="default: 127.0.0.1, reachable from this machine only")


def add_overrides(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        type=override,
        metavar="KEY=VALUE",
        dest="overrides",
        help=f"change the recipe, for example threads=1,8; may be repeated. Keys: {', '.join(SETTABLE)}",
    )


def override(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key.strip(), value.strip()


def port_number(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise ArgumentTypeError(f"{text!r} is not a port: 1 to 65535")
    return int(text)
