"""A text or a file as facts of a server. Only settings that the audit knows are kept: a text may hold passwords."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from workers.errors import PlanError
from workers.servers import lookalikes
from workers.servers.compared import name_of
from workers.servers.facts import Facts
from workers.servers.flavours import detect
from workers.servers.look import version_of
from workers.servers.pasted import shown
from workers.servers.pasted.file_facts import file_facts
from workers.servers.pasted.named_version import NamedVersion
from workers.servers.pasted.option_file import Follow, not_followed
from workers.servers.pasted.other_texts import is_template, what_it_is
from workers.servers.pasted.untabled import ENGINES
from workers.servers.printable import printable
from workers.servers.services import recognised

MOST_CHARACTERS = 1 << 21  # the client pads a table to its longest value: over a megabyte
LONGEST_VALUE = 500
LONGEST_REFUSAL = 300
ABOUT = lookalikes.VARIABLES
UNREAD = "Paste the answer of SHOW GLOBAL VARIABLES, or a my.cnf with a section [mysqld]."
BYTE_ORDER = "\ufeff"
SECTION = re.compile(r"^[ \t]*\[[ \t]*[a-z][\w.@-]*[ \t]*\][ \t]*(#.*)?$", re.MULTILINE | re.IGNORECASE)
OPTION = re.compile(r"^[ \t]*(!include|[a-z][\w-]*[ \t]*=)", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True)
class PastedText:
    """`form`: how it was read. `notes`: what was left out or is not known. `service`: the managed service of the server
    (a key of workers.servers.services), "". `refused`: why a server does not start with this file, "" if it does; then
    no setting is known."""

    facts: Facts
    form: str
    notes: tuple[str, ...] = ()
    service: str = ""
    refused: str = ""


@dataclass(frozen=True)
class OfFile:
    """What is known of a file beside its content. `passed_over`: why a server does not read it, "" if it does."""

    follow: Follow = not_followed
    passed_over: str = ""


def read(text: str, named: NamedVersion | None = None, *, of_file: OfFile | None = None) -> PastedText:
    """`named`: the version of an option file. `of_file`: None: it was pasted, and may be a part of a file. Bytes that
    are no UTF-8 may be surrogates. Raises PlanError; no message repeats the text."""
    if len(text) > MOST_CHARACTERS:
        raise PlanError(
            f"The text is longer than {MOST_CHARACTERS >> 20} MiB.",
            "Paste the answer of one server, without bars (--batch).",
        )
    plain = _plain(text)
    has_section = SECTION.search(plain) is not None  # tabs often stand before its =
    if not has_section and not is_template(plain) and (found := shown.read(plain)):
        return _of_server(*found)
    if has_section or OPTION.search(plain) or is_template(plain):
        return _of_option_file(text if of_file else plain, plain, named, of_file)
    raise PlanError("The text was not recognised. Nothing was stored.", UNREAD)


def _plain(text: str) -> str:
    try:
        return text.encode(errors="surrogateescape").decode(errors="replace").removeprefix(BYTE_ORDER)
    except UnicodeEncodeError as wrong:
        raise PlanError("The text has a character that is half of another.", "Paste it as UTF-8.") from wrong


def _of_server(form: str, pairs: Sequence[tuple[str, str]]) -> PastedText:
    values = _kept(pairs)
    if not values.keys() - {*ABOUT}:
        raise PlanError(f"The text was read as {form}, and no durability setting is in it.", UNREAD)
    version = values.get("version", "")
    flavour = detect(version, values.get("version_comment", ""))
    notes = () if version else ("The text does not name the version of the server.",)
    facts = Facts(flavour, version_of(version), version, values, _engines(values))
    return PastedText(facts, form, notes, recognised(dict(pairs), "")[0])


def _of_option_file(text: str, plain: str, named: NamedVersion | None, of_file: OfFile | None) -> PastedText:
    what, fix = what_it_is(plain)
    if what:
        raise PlanError(what, fix or UNREAD)
    passed_over = of_file.passed_over if of_file else ""
    follow = of_file.follow if of_file else not_followed
    found = file_facts("" if passed_over else text, named, is_part=of_file is None, follow=follow)
    facts = replace(found.facts, variables=_kept(found.facts.variables.items()))
    notes = (passed_over, *found.notes) if passed_over else found.notes
    return PastedText(facts, "my.cnf", notes, refused=printable(found.refused[:LONGEST_REFUSAL]))


def _kept(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    return {name: printable(value[:LONGEST_VALUE]) for name, value in pairs if name in ABOUT or name_of(name)}


def _engines(values: Mapping[str, str]) -> dict[str, str]:
    there = [one for one in ENGINES if any(name.startswith(one) for name in values)]
    return {"innodb": "DEFAULT", **dict.fromkeys(there, "YES")}
