"""Options that are in no table of a server: of MyRocks and TokuDB, and of a fork.

Only the whole name with a plain value is understood. A beginning, a prefix that changes the value and any other value
leave the setting open.
"""

from collections.abc import Collection

from workers.servers.pasted.option_names import FoundName
from workers.servers.pasted.options import KnownOption, ServerOptions
from workers.servers.present import WORDS, understood

ENGINES = ("rocksdb", "tokudb")
PLAIN = ("", "loose")  # prefixes
OF_ENGINES = tuple(name for name in WORDS if name.startswith(ENGINES))
ANY_PLUGIN = "plugin_"  # a second name of each option of a plugin begins with it
LONGEST_VALUE = 40
NO_SWITCH = ("yes", "no")  # in an option file
CHOICES = "eEwW"  # kinds; see options.py

Settings = dict[str, str | None]  # None: unknown


def engines_in(words: str) -> set[str]:
    """Of a list of plugins or the name of an option."""
    return {one for one in ENGINES if one in words.lower()}


def of_plugin(found: FoundName, written: str | None) -> Settings:
    name = found.rest.removeprefix(ANY_PLUGIN)
    return {} if name in ENGINES else _settings(name, found, written, OF_ENGINES)


def of_fork(found: FoundName, written: str | None, server: ServerOptions) -> Settings:
    return _settings(found.rest, found, written, [name for name in WORDS if name not in server.options])


def is_choice_of_fork(found: FoundName, written: str | None, option: KnownOption) -> bool:
    """One that its origin refuses and a fork may have."""
    is_plain = found.prefix in PLAIN and option.kind in CHOICES and found.name in WORDS
    return is_plain and bool(written) and understood(found.name, written or "") is not None


def _settings(name: str, found: FoundName, written: str | None, among: Collection[str]) -> Settings:
    if not name:
        return {}
    if name not in among:
        return {one: None for one in among if one.startswith(name)}
    is_plain = name == found.rest and found.prefix in PLAIN
    return {name: _value(name, written) if is_plain else None}


def _value(name: str, written: str | None) -> str | None:
    said = "ON" if written is None else written
    is_plain = said.isascii() and (said.isdecimal() or said.replace("_", "").isalpha()) and len(said) <= LONGEST_VALUE
    return understood(name, said) if is_plain and said.lower() not in NO_SWITCH else None
