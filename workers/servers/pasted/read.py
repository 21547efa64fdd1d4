"""A pasted text as facts of a server. Only settings that the audit knows are kept: a text may hold passwords."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workers.errors import PlanError
from workers.servers import lookalikes
from workers.servers.compared import NAMES, name_of
from workers.servers.defaults import defaults_of
from workers.servers.facts import Facts, FlavourKey
from workers.servers.flavours import FLAVOURS, detect
from workers.servers.look import UNREADABLE, version_of
from workers.servers.pasted import option_file, shown
from workers.servers.pasted.named_version import NamedVersion
from workers.servers.printable import printable
from workers.servers.services import recognised

MOST_CHARACTERS = 1 << 21  # the client pads a table to its longest value: over a megabyte
LONGEST_VALUE = 500
ABOUT = lookalikes.VARIABLES
UNREAD = "Paste the answer of SHOW GLOBAL VARIABLES, or a my.cnf with a section [mysqld]."
PLUGINS = ("plugin_load", "plugin_load_add")
OTHER_ENGINES = ("rocksdb", "tokudb")
MOST_NOTES = 20  # of lines of a file: a page must not become as long as the file
WHOLE = ("innodb", "log", "relay_log")  # options of their own, with which the names of settings begin


@dataclass(frozen=True)
class PastedText:
    """`form`: how it was read. `notes`: what was left out or is not known. `service`: the managed service of the server
    (a key of workers.servers.services), ""."""

    facts: Facts
    form: str
    notes: tuple[str, ...] = ()
    service: str = ""


def read(text: str, named: NamedVersion | None = None) -> PastedText:
    """`named`: the version of an option file. Raises PlanError; no message repeats the text."""
    if len(text) > MOST_CHARACTERS:
        raise PlanError(
            f"The text is longer than {MOST_CHARACTERS >> 20} MiB.",
            "Paste the answer of one server, without bars (--batch).",
        )
    text = text.removeprefix("\ufeff")
    is_file = option_file.has_section(text)  # tabs often stand before its =
    if not is_file and (found := shown.read(text)):
        return _of_server(*found)
    if is_file or option_file.looks_like_one(text):
        return _of_file(option_file.read(text, named), named)
    raise PlanError("The text was not recognised. Nothing was stored.", UNREAD)


def _of_server(form: str, pairs: Sequence[tuple[str, str]]) -> PastedText:
    values = _kept(pairs)
    if not values.keys() - {*ABOUT}:
        raise PlanError(f"The text was read as {form}, and no durability setting is in it.", UNREAD)
    version = values.get("version", "")
    flavour = detect(version, values.get("version_comment", ""))
    notes = () if version else ("The text does not name the version of the server.",)
    facts = Facts(flavour, version_of(version), version, values, _engines(values))
    return PastedText(facts, form, notes, recognised(dict(pairs), "")[0])


def _of_file(file: option_file.OptionFile, named: NamedVersion | None) -> PastedText:
    short = {name: meant for name in (*file.values, *file.unsure) if (meant := _meant_by(name))}
    unsure = {name_of(name) for name in file.unsure}.union(*short.values())
    notes = _notes(file, short)
    flavour: FlavourKey = named.flavour if named else "mariadb" if file.is_mariadb else "mysql"
    given = _kept(file.values.items())
    engines = _engines(given, *(file.values.get(name, "") for name in PLUGINS))
    values = given
    if named is None:
        notes.append("Settings that the file leaves out are unknown: name the version of the server.")
    elif file.includes:
        notes.append("Settings that the file leaves out are unknown: an included file may set them.")
    else:
        values = {**_defaults(named, engines), **given}
        whose = f"{FLAVOURS[named.flavour].title} {named.text}"
        notes.append(f"Settings that the file leaves out have the defaults of {whose}.")
    values = {name: value for name, value in values.items() if name_of(name) not in unsure}
    version = named.version if named else UNREADABLE
    return PastedText(Facts(flavour, version, named.text if named else "", values, engines), "my.cnf", tuple(notes))


def _notes(file: option_file.OptionFile, short: Mapping[str, Sequence[str]]) -> list[str]:
    """On its lines. `short`: what each name that is cut off may mean."""
    notes = [f"{include} was not followed: its settings are unknown here." for include in map(_clean, file.includes)]
    notes += [f"Section [{_clean(name)}] was left out: it is for another version." for name in file.left_out]
    notes += [
        f"Section [{_clean(name)}] is of one of several servers: what it sets is unknown here. To audit that server, "
        "write its lines under [mysqld]."
        for name in file.instances
    ]
    notes += [
        f"{_clean(name)} may be short for {' or '.join(meant)}: write the whole name." for name, meant in short.items()
    ]
    more = len(notes) - MOST_NOTES
    return [*notes[:MOST_NOTES], f"{more:,} more such lines."] if more > 0 else notes


def _meant_by(name: str) -> list[str]:
    """The settings that a server may take this for: it reads a name that is cut off, if only one option begins so."""
    return [] if not name or name_of(name) or name in WHOLE else [one for one in NAMES if one.startswith(name)]


def _kept(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    return {name: _clean(value) for name, value in pairs if name in ABOUT or name_of(name)}


def _clean(text: str) -> str:
    return printable(text[:LONGEST_VALUE])


def _engines(values: Mapping[str, str], *plugins: str) -> dict[str, str]:
    there = [one for one in OTHER_ENGINES if any(name.startswith(one) for name in values) or one in " ".join(plugins)]
    return {"innodb": "DEFAULT", **dict.fromkeys(there, "YES")}


def _defaults(named: NamedVersion, engines: Mapping[str, str]) -> dict[str, str]:
    absent = tuple(one for one in OTHER_ENGINES if one not in engines)
    known = defaults_of(named.flavour, named.version)
    return {name: value for name, value in known.items() if not name.startswith(absent)}
