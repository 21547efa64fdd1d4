"""The verbs of manage.py with their own --help."""

from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator

from django.core.management import get_commands, load_command_class

from reference.markdown import block, page

WIDE = 100
OF_DJANGO = (
    "help", "version", "verbosity", "settings", "pythonpath", "traceback", "no_color", "force_color", "skip_checks",
)  # fmt: skip


def page_of_commands() -> str:
    ours = sorted(name for name, app in get_commands().items() if str(app).startswith("dashboard."))
    return page(
        "Commands",
        "In a clone type `.venv/bin/python manage.py VERB`, with the installed package `durascope VERB`. Every verb "
        "also has Django's options: `manage.py VERB --help` lists them.\n",
        *(part for name in ours for part in _verb(name)),
    )


def _verb(name: str) -> Iterator[str]:
    command = load_command_class("dashboard.commands", name)
    parser = command.create_parser("manage.py", name)
    yield f"## {name}\n"
    yield block(_help(parser))
    for sub in _subparsers(parser):
        for word, inner in sub.choices.items():
            yield f"### {name} {word}\n"
            yield block(_help(inner))


def _subparsers(parser: ArgumentParser) -> Iterator["_SubParsersAction[ArgumentParser]"]:
    return (action for action in parser._actions if isinstance(action, _SubParsersAction))


def _help(parser: ArgumentParser) -> str:
    """Without the options that every verb of Django has."""
    formatter = parser.formatter_class(prog=parser.prog, width=WIDE)
    own = [one for one in parser._actions if one.dest not in OF_DJANGO]
    formatter.add_usage(None, own, [])
    formatter.add_text(parser.description)
    formatter.start_section("arguments")
    formatter.add_arguments(own)
    formatter.end_section()
    formatter.add_text(parser.epilog)
    return formatter.format_help()
