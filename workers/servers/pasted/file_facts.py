"""An option file as facts of a server: what it gives, and what the server does by itself."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from workers.errors import PlanError
from workers.servers.compared import name_of
from workers.servers.deciding import NEVER, NOT_TOLD, SOMETIMES
from workers.servers.defaults import changes_of, defaults_of
from workers.servers.durability import report
from workers.servers.facts import Facts, FlavourKey, Version
from workers.servers.flavours import FLAVOURS
from workers.servers.look import UNREADABLE
from workers.servers.pasted import option_file
from workers.servers.pasted.brought import brought
from workers.servers.pasted.file_notes import notes_of
from workers.servers.pasted.lines import SectionLine, lines
from workers.servers.pasted.named_version import NamedVersion
from workers.servers.pasted.option_file import Follow, OptionFile, not_followed
from workers.servers.pasted.options import ServerOptions, nearest, newer, of_flavour, servers
from workers.servers.pasted.together import refused_together
from workers.servers.present import WORDS

MOST_LINES_UNNAMED = 2000  # every known server reads each of them
_VERSION = re.compile(r"-\d+(\.\d+)?$")  # at the end of a section's name


@dataclass(frozen=True)
class FileFacts:
    """`facts`: without what the file does not decide. `refused`: why the server does not start, "" if it does."""

    facts: Facts
    notes: tuple[str, ...] = ()
    refused: str = ""


def file_facts(
    text: str, named: NamedVersion | None, *, is_part: bool = False, follow: Follow = not_followed
) -> FileFacts:
    """By the named version; without one by every version that decides otherwise than those before it, and only where
    they agree."""
    if named is None and text.count("\n") > MOST_LINES_UNNAMED:
        raise PlanError(f"The text has more than {MOST_LINES_UNNAMED:,} lines.", "Name the version of the server.")
    if named is None:
        return _agreed(_of_all(text, is_part, follow))
    return _of_server(text, nearest(named.flavour, named.version), named.version, named, is_part, follow)


def _of_all(text: str, is_part: bool, follow: Follow) -> Sequence[FileFacts]:
    """By the servers of the table, and by the versions between those of them that start with it."""
    of = {one: _of_server(text, one, one.version, None, is_part, follow) for one in _possible(text)}
    starts = [one for one, found in of.items() if not found.refused]
    between = [
        _of_server(text, server, version, None, is_part, follow)
        for flavour in dict.fromkeys(one.flavour for one in starts)
        for version in borders(flavour)
        if (server := nearest(flavour, version)) in starts or newer(server, version) in starts
    ]
    return [*between, *of.values()]


def _possible(text: str) -> Sequence[ServerOptions]:
    """Sections that only MariaDB reads mean nothing to MySQL."""
    sections = {_VERSION.sub("", line.name.lower()) for _, line in lines(text) if isinstance(line, SectionLine)}
    is_of_mariadb = bool(sections & (_groups("mariadb") - _groups("mysql")))
    return [one for one in servers() if one.flavour == "mariadb" or not is_of_mariadb]


@cache
def _groups(flavour: FlavourKey) -> frozenset[str]:
    return frozenset(_VERSION.sub("", group) for one in of_flavour(flavour) for group in one.groups(one.version))


def borders(flavour: FlavourKey) -> Sequence[Version]:
    """Versions since the oldest server of the table that have another default or setting than those before them."""
    oldest = of_flavour(flavour)[0].version
    settings = {border for row in SOMETIMES.values() for border in row.borders(flavour)}
    return sorted(one for one in settings | {*changes_of(flavour)} if oldest < one < NEVER)


def _of_server(
    text: str, server: ServerOptions, version: Version, named: NamedVersion | None, is_part: bool, follow: Follow
) -> FileFacts:
    is_fork = bool(named and named.is_fork)
    file = option_file.read(text, server, version, is_part=is_part, is_fork=is_fork, follow=follow)
    values = {} if file.refused else _values(file, server, version)
    if refused := refused_together(server, values):
        file.refused, values = refused, {}
    engines = {"innodb": "DEFAULT", **dict.fromkeys(sorted(file.engines), "YES")}
    values |= dict.fromkeys(_left_open(file, server, values, is_fork), NOT_TOLD)
    facts = Facts(server.flavour, version, named.text if named else "", values, engines)
    return FileFacts(facts, tuple(notes_of(file, server, named)), file.refused)


def _values(file: OptionFile, server: ServerOptions, version: Version) -> dict[str, str]:
    """By the names of that server. An included file that is not at hand may set whatever follows no more."""
    values = {} if file.includes else _defaults(file, server, version)
    given = {name: file.given[name_of(name)] for name in _names(server, version) if name_of(name) in file.given}
    in_no_table = {name: value for name, value in file.given.items() if name in WORDS and name not in server.options}
    found = {**values, **given, **in_no_table}
    found |= brought(found, server, version, has_method="innodb_flush_method" in file.given)
    return {name: value for name, value in found.items() if value is not None}


def _names(server: ServerOptions, version: Version) -> list[str]:
    """The settings of that server, and those that only a newer one has around the version."""
    own = [name for name, option in server.options.items() if option.default is not None]
    later, known = newer(server, version), {*map(name_of, own)}
    more = later.options.items() if later else ()
    return own + [name for name, one in more if one.default is not None and name_of(name) not in known]


def _left_open(file: OptionFile, server: ServerOptions, values: Mapping[str, str], is_fork: bool) -> list[str]:
    """Settings that only some servers have, and that the file does not decide for this one: it must not be taken for a
    server without them."""
    unsure = {name for name, value in file.given.items() if value is None}
    own = {name for name, option in server.options.items() if option.default is not None}
    there = [one for one in SOMETIMES if is_fork or one in own or one.startswith(tuple(file.engines))]
    return [
        one for one in SOMETIMES if one not in values and (name_of(one) in unsure or (file.includes and one in there))
    ]


def _defaults(file: OptionFile, server: ServerOptions, version: Version) -> dict[str, str | None]:
    """Of the table, and what has changed since; and what the server makes of other settings."""
    old, new = defaults_of(server.flavour, server.version), defaults_of(server.flavour, version)
    values: dict[str, str | None] = {
        name: new[name] if name in new and new[name] != old[name] else option.default
        for name, option in server.options.items()
        if option.default is not None
    }
    given = file.given
    later = [name for name in new if name in SOMETIMES and name not in server.options and name_of(name) not in given]
    values |= {name: new[name] for name in later if SOMETIMES[name].exists(server.flavour, version)}
    for engine in file.engines:
        values |= {name: value for name, value in new.items() if name.startswith(engine)}
    if file.given.get("log_bin", values["log_bin"]) == "OFF" and values.get("log_replica_updates") == "ON":
        values |= {"log_slave_updates": "OFF", "log_replica_updates": "OFF"}
    return values


def _agreed(found: Sequence[FileFacts]) -> FileFacts:
    """Of those that start with it; the settings that all of them have, and those that make no difference."""
    start = [one for one in found if not one.refused]
    if not start:
        return replace(
            found[-1], refused=f"No version of MariaDB or MySQL that is known here starts with it: {found[-1].refused}"
        )
    facts = [one.facts for one in start]
    notes = [note for note in start[-1].notes if all(note in one.notes for one in start)]
    since = {one.flavour: of_flavour(one.flavour)[0] for one in facts}
    known = " and ".join(f"{FLAVOURS[key].title} {one.series[0]}.{one.series[1]}" for key, one in sorted(since.items()))
    said = f"The version of the server is not named: only what holds for every version since {known} is answered."
    return FileFacts(replace(facts[-1], version=UNREADABLE, variables=_common(facts)), (*notes, said))


def _common(all_facts: Sequence[Facts]) -> dict[str, str]:
    first = all_facts[-1]
    names = [name for name in first.variables if all(name in one.variables for one in all_facts)]
    common = {name: first.variables[name] for name in names if _is_the_same(name, all_facts)}
    return {
        name: one.instead if _is_idle(name, one.instead, all_facts) else NOT_TOLD for name, one in SOMETIMES.items()
    } | common


def _is_idle(name: str, instead: str, all_facts: Sequence[Facts]) -> bool:
    """Whether those that have the setting do what the others do."""
    have = [one for one in all_facts if name in one.variables]
    return all(_outcomes(replace(one, variables={**one.variables, name: instead})) == _outcomes(one) for one in have)


def _is_the_same(name: str, all_facts: Sequence[Facts]) -> bool:
    """Or makes no difference to any of them."""
    values = {one.variables[name] for one in all_facts}
    return len(values) == 1 or all(
        _outcomes(replace(one, variables={**one.variables, name: value})) == _outcomes(one)
        for one in all_facts
        for value in values
    )


def _outcomes(facts: Facts) -> Iterable[tuple[str, str, str, str]]:
    return [(one.crash_class, one.what, one.engine, one.outcome) for one in report(facts)]
