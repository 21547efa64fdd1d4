"""An option file (my.cnf) as a server reads it. A server of an unknown version reads the sections of both flavours."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from workers.servers.facts import FlavourKey
from workers.servers.pasted.named_version import NamedVersion

OF_SERVERS = ("mysqld", "server")
OF_MARIADB = ("mariadb", "mariadbd", "galera")
OF_INSTANCE = re.compile(r"(mysqld|mariadb|mariadbd)(\d+|@.*)")  # of mysqld_multi, and of units of systemd
SECTION = re.compile(r"\[([^\]]{1,80})\]")  # a server passes over what follows
_COMMENT = re.compile(r"""^((?:[^"'#]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')*)#.*$""")
_ESCAPE = re.compile(r"\\([btnrs\\\"'])")
_ESCAPED = {"b": "\b", "t": "\t", "n": "\n", "r": "\r", "s": " "}
_INCLUDE = re.compile(r"!include(?:dir)?\s+(\S.*)")
_SIZE = re.compile(r"(\d{1,15})([KMGTPE])", re.IGNORECASE)
_SIZES = "KMGTPE"
_ENDINGS = {"skip_": "OFF", "disable_": "OFF", "enable_": "ON"}
_REAL = ("skip_name_resolve", "skip_networking", "skip_show_database", "skip_external_locking")  # variables themselves


@dataclass
class OptionFile:
    """`values`: by the names of the variables; later lines win. `includes`: files and folders that were not followed.
    `left_out`: sections of other versions. `instances`: sections of one server of several; `unsure`: what they set."""

    values: dict[str, str] = field(default_factory=dict)
    includes: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    instances: list[str] = field(default_factory=list)
    unsure: dict[str, str] = field(default_factory=dict)
    is_mariadb: bool = False


def has_section(text: str) -> bool:
    return re.search(r"^[ \t]*\[[a-z][\w.@-]*\][ \t]*(#.*)?$", text, re.MULTILINE | re.IGNORECASE) is not None


def looks_like_one(text: str) -> bool:
    return re.search(r"^[ \t]*(!include|[a-z][\w-]*[ \t]*=)", text, re.MULTILINE | re.IGNORECASE) is not None


def read(text: str, named: NamedVersion | None) -> OptionFile:
    """Lines before the first section belong to no program; they are read, because people paste parts of a file."""
    found = OptionFile()
    into = found.values
    for line in lines(text):
        if include := _INCLUDE.fullmatch(line):
            found.includes.append(include[1])
        elif section := SECTION.match(line):
            into = _of_section(section[1].strip().lower(), named, found)
        else:
            name, value = option(line)
            into[name] = value
    return found


def lines(text: str) -> Iterator[str]:
    """Without comments. Behind an option # begins one, unless it is quoted."""
    for stripped in filter(None, map(str.strip, text.splitlines())):
        if not stripped.startswith(("#", ";")):
            yield _COMMENT.sub(r"\1", stripped).rstrip()


def _of_section(section: str, named: NamedVersion | None, found: OptionFile) -> dict[str, str]:
    """Where its options go."""
    is_instance = OF_INSTANCE.fullmatch(section)
    base, _, version = (is_instance[1], "", "") if is_instance else section.partition("-")
    flavour: FlavourKey | None = named.flavour if named else None
    is_mariadb = base in OF_MARIADB
    if base not in OF_SERVERS and not is_mariadb:
        return {}
    if is_mariadb and flavour is None:
        found.is_mariadb = True
    fits = not version or (named is not None and ".".join(map(str, named.version[:2])) == version)
    if not fits or (is_mariadb and flavour == "mysql"):
        found.left_out.append(section)
        return {}
    if is_instance:
        found.instances.append(section)
    return found.unsure if is_instance else found.values


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
    plain = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), plain)


def _sized(value: str) -> str:
    size = _SIZE.fullmatch(value)
    return str(int(size[1]) << 10 * (_SIZES.index(size[2].upper()) + 1)) if size else value
