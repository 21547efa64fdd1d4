"""An option file (my.cnf) as a server reads it: which of its lines count, and what they set."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from workers.servers.compared import name_of
from workers.servers.facts import Version
from workers.servers.pasted.between import value_by, value_by_newer
from workers.servers.pasted.known_names import unknown_name
from workers.servers.pasted.lines import (
    BYTE_ORDER,
    Include,
    Line,
    SectionLine,
    WrittenOption,
    WrongLine,
    as_bytes,
    as_text,
    lines,
)
from workers.servers.pasted.option_names import FoundName, found_name
from workers.servers.pasted.option_values import MadeValue
from workers.servers.pasted.options import ServerOptions, newer
from workers.servers.pasted.untabled import engines_in, is_choice_of_fork, of_plugin

INSTANCE = ("mysqld", "mariadb", "mariadbd")  # of mysqld_multi with a number, of units of systemd with @
LOADS = ("plugin_load", "plugin_load_add")
DEEPEST = 10  # a server follows no include below
MOST_FOLLOWED = 200  # one that includes itself would have no end
MOST_CHARACTERS = 4 << 20  # of a file with all that it includes, as often as it does
MOST_NOTES = 1000
MOST_ASKED = 20  # names that no server knows: as many as notes are shown


@dataclass(frozen=True)
class ReadFile:
    """An option file. `text`: None: it is not at hand."""

    path: str
    text: str | None


Follow = Callable[[Include, ServerOptions], Sequence[ReadFile]]


@dataclass
class OptionFile:
    """`given`: values by settings, as the server shows them; None: unknown. `refused`: why the server does not start,
    "" if it does. `includes`: what was not followed. `unread`: sections for others; `instances`: of one of several
    servers. `engines`: whose plugins or options it names. `groups`, `options`: how many the server reads."""

    given: dict[str, str | None] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    refused: str = ""
    includes: list[str] = field(default_factory=list)
    unread: dict[str, None] = field(default_factory=dict)
    instances: dict[str, None] = field(default_factory=dict)
    engines: set[str] = field(default_factory=set)
    groups: int = 0
    options: int = 0


def not_followed(include: Include, _: ServerOptions) -> Sequence[ReadFile]:
    return [ReadFile(as_text(include.path), None)]


def read(
    text: str,
    server: ServerOptions,
    version: Version,
    *,
    is_part: bool = False,
    is_fork: bool = False,
    follow: Follow = not_followed,
) -> OptionFile:
    """As this version reads it, by the options of that server. `is_part`: lines before the first section count.
    `is_fork`: it may have options of its own."""
    return _Reading(server, version, follow, is_fork).file(text, is_part)


def _hint(line: WrittenOption) -> str:
    is_behind = ";" in f"{line.name}{line.value}"
    return " (a ; behind a value begins no comment)" if is_behind else ""


class _Reading:
    """Of one file with its includes."""

    def __init__(self, server: ServerOptions, version: Version, follow: Follow, is_fork: bool) -> None:
        self.server, self.version, self.follow, self.is_fork = server, version, follow, is_fork
        self.newer = newer(server, version)
        self.groups = server.groups(version)
        self.open_groups = self.groups ^ (self.newer.groups(version) if self.newer else self.groups)
        self.followed = self.asked = self.characters = 0
        self.late: dict[str, str] = {}  # why the server ends unless a later line has another value, by option
        self.found = OptionFile()

    def file(self, text: str, is_part: bool) -> OptionFile:
        for why, ends_all in self._faults(text, is_part, 0):
            if ends_all:
                self.found.refused = why
                break
        else:
            self.found.refused = next(iter(self.late.values()), "")
        return self.found

    def _faults(self, text: str, is_part: bool, depth: int) -> Iterator[tuple[str, bool]]:
        """Reads line by line; yields why a server ends there, and whether it does. A line that is none in an included
        file ends only that file."""
        group: str | None = "mysqld" if is_part else None
        joined, cut = self.server.habit("cut_lines") == "joined", self.server.habit("last_include") == "cut"
        for number, line in lines(text, joined=joined, cut=cut):
            if wrong := self._wrong(line, group, text):
                yield f"line {number}: {wrong}", depth == 0
                return
            if isinstance(line, SectionLine):
                group = self._group(line.name)
            elif isinstance(line, Include):
                yield from self._include(line, depth)
            elif isinstance(line, WrittenOption) and group in self.groups - self.open_groups:
                if refused := self._option(line):
                    yield f"line {number}: {refused}{_hint(line)}", True
            elif isinstance(line, WrittenOption) and group and (group in self.open_groups or self._is_instance(group)):
                self._unsure(line)

    def _wrong(self, line: Line, group: str | None, text: str) -> str:
        if isinstance(line, WrongLine):
            return line.says
        if not isinstance(line, WrittenOption) or group is not None:
            return ""
        behind = " after a mark of the byte order" if as_bytes(text).startswith(BYTE_ORDER) else ""
        return f"an option before the first section{behind}"

    def _group(self, written: str) -> str:
        """Capitals are the same in groups."""
        name = written.lower()
        listed = self.found.instances if self._is_instance(name) else self.found.unread
        if name in self.open_groups:
            self._note(f"Section [{as_text(written)}]: whether this version reads it is not known, nor what it sets.")
        elif name in self.groups:
            self.found.groups += 1
        else:
            listed[as_text(written)] = None
        return name

    def _is_instance(self, group: str) -> bool:
        base = next((one for one in INSTANCE if group.startswith(one)), "")
        rest = group.removeprefix(base)
        return bool(base) and (rest.isdecimal() or rest.startswith("@"))

    def _include(self, include: Include, depth: int) -> Iterator[tuple[str, bool]]:
        if depth >= DEEPEST:
            return
        for file in () if self._is_full() else self.follow(include, self.server):
            self.followed += 1
            self.characters += len(file.text or "")
            if file.text is not None and not self._is_full():
                yield from self._included(file.path, file.text, depth)
                continue
            self.found.includes.append(file.path)
            self.found.given.clear()
            if self._is_full():
                return
        if self._is_full():
            self.found.given.clear()

    def _included(self, path: str, text: str, depth: int) -> Iterator[tuple[str, bool]]:
        for why, ends_all in self._faults(text, False, depth + 1):
            yield f"{path}, {why}", ends_all
            self._note(f"{path}, {why}: a server reads no further in this file.")

    def _is_full(self) -> bool:
        return self.followed > MOST_FOLLOWED or self.characters > MOST_CHARACTERS

    def _option(self, line: WrittenOption) -> str:
        """Takes it; says why the server ends, "" if it goes on."""
        self.found.options += 1
        found = found_name(line.name, self.server)
        if found.meant:
            return f"{line.name} may be short for {' or '.join(found.meant[:3])}"
        if found.name:
            value = value_by(line, found, self.server, self.newer)
            is_own = self.is_fork and is_choice_of_fork(found, line.value, self.server.options[found.name])
            return self._take(found.name, MadeValue(line.value) if value.refused and is_own else value)
        if self.newer:
            later, later_value = value_by_newer(line, self.newer, self.version)
            if later and later_value:
                return self._take(later.name, later_value)
        return self._unknown(line, found)

    def _take(self, name: str, value: MadeValue) -> str:
        """Says why the server ends."""
        if value.is_late and value.refused:
            self.late[name] = value.refused
            return ""
        if value.refused:
            return value.refused
        if value.is_unknown or value.value is not None:
            self.late.pop(name, None)
        if name in LOADS:
            self.found.engines |= engines_in(value.value or "")
        if name_of(name):
            if value.is_unknown or value.value is not None:
                self.found.given[name_of(name)] = None if value.is_unknown else value.value
            self._note(value.says)
        return ""

    def _unknown(self, line: WrittenOption, found: FoundName) -> str:
        self.asked += 1
        unknown = unknown_name(
            line, found, self.server, self.version, is_fork=self.is_fork, is_asked=self.asked <= MOST_ASKED
        )
        self.found.given |= unknown.settings
        self.found.engines |= engines_in(unknown.plugin)
        self._note(unknown.note)
        return unknown.refused

    def _note(self, says: str) -> None:
        if says and len(self.found.notes) < MOST_NOTES:
            self.found.notes.append(says)

    def _unsure(self, line: WrittenOption) -> None:
        for server in filter(None, (self.server, self.newer)):
            found = found_name(line.name, server)
            names = (*_settings(found.meant or (found.name,)), *of_plugin(found, None))
            self.found.given |= dict.fromkeys(names)


@lru_cache(maxsize=4096)  # a beginning of names may be short for hundreds of options
def _settings(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(filter(None, map(name_of, names)))
