"""An option file (my.cnf) as a server reads it. A server of an unknown version reads the sections of both flavours."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from workers.servers.facts import FlavourKey
from workers.servers.pasted.named_version import NamedVersion

OF_SERVERS = ("mysqld", "server")
OF_MARIADB = ("mariadb", "mariadbd", "galera")
_SECTION = re.compile(r"\[([^\]]{1,80})\]")
_INCLUDE = re.compile(r"!include(?:dir)?\s+(\S.*)")
_SIZE = re.compile(r"(\d{1,15})([KMGTPE])", re.IGNORECASE)
_SIZES = "KMGTPE"
_ENDINGS = {"skip_": "OFF", "disable_": "OFF", "enable_": "ON"}
_REAL = ("skip_name_resolve", "skip_networking", "skip_show_database", "skip_external_locking")  # variables themselves


@dataclass
class OptionFile:
    """`values`: by the names of the variables; later lines win. `includes`: files and folders that were not followed.
    `left_out`: sections of other versions."""

    values: dict[str, str] = field(default_factory=dict)
    includes: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    is_mariadb: bool = False


def looks_like_one(text: str) -> bool:
    return (
        re.search(r"^[ \t]*(\[[\w.-]+\]|!include|[a-z][\w-]*[ \t]*=)", text, re.MULTILINE | re.IGNORECASE) is not None
    )


def read(text: str, named: NamedVersion | None) -> OptionFile:
    """Lines before the first section belong to no program; they are read, because people paste parts of a file."""
    found, is_read = OptionFile(), True
    for line in _lines(text):
        if include := _INCLUDE.fullmatch(line):
            found.includes.append(include[1])
        elif section := _SECTION.fullmatch(line):
            is_read = _enters(section[1].strip().lower(), named, found)
        elif is_read:
            name, value = option(line)
            found.values[name] = value
    return found


def _lines(text: str) -> Iterator[str]:
    for stripped in filter(None, map(str.strip, text.splitlines())):
        if not stripped.startswith(("#", ";")):
            # Behind a section's name and behind an option, # begins a comment, unless it is quoted.
            yield re.sub(r"""^((?:[^"'#]|"[^"]*"|'[^']*')*)#.*$""", r"\1", stripped).rstrip()


def _enters(section: str, named: NamedVersion | None, found: OptionFile) -> bool:
    base, _, version = section.partition("-")
    flavour: FlavourKey | None = named.flavour if named else None
    is_mariadb = base in OF_MARIADB
    if base not in OF_SERVERS and not is_mariadb:
        return False
    if is_mariadb and flavour is None:
        found.is_mariadb = True
    fits = not version or (named is not None and ".".join(map(str, named.version[:2])) == version)
    if not fits or (is_mariadb and flavour == "mysql"):
        found.left_out.append(section)
        return False
    return True


def option(line: str) -> tuple[str, str]:
    """A variable and its value: `loose-skip-log-bin` -> log_bin, OFF."""
    name, value = option_text(line)
    if "=" not in line:
        value = "ON"
        for beginning, meaning in _ENDINGS.items():
            if name.startswith(beginning) and name not in _REAL:
                return name.removeprefix(beginning), meaning
    return name, "ON" if name == "log_bin" else _sized(value)  # the value of log_bin is a file's name


def option_text(line: str) -> tuple[str, str]:
    """An option and its value as they are written."""
    name, _, value = line.partition("=")
    return name.strip().lstrip("-").replace("-", "_").lower().removeprefix("loose_"), _unquoted(value.strip())


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _sized(value: str) -> str:
    size = _SIZE.fullmatch(value)
    return str(int(size[1]) << 10 * (_SIZES.index(size[2].upper()) + 1)) if size else value
