"""Option files from a seed: settings that decide durability, in every way in which a file can say them."""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workers.servers.facts import FlavourKey

HERE = "@HERE@"  # the folder of the files
SECTIONS: Mapping[FlavourKey, tuple[str, ...]] = {
    "mariadb": (
        "mariadb", "mariadbd", "server", "client-server", "galera", "mysqld-{series}", "mariadb-{series}",
        "mariadb-{major}", "mariadbd-{series}", "mariadb-10.6", "mysqld-8.0", "mysql_cluster", "mysqld1", "mysqld@a",
    ),
    "mysql": (
        "server", "mysqld-{series}", "mysqld-{major}", "mysqld-5.7", "mysql_cluster", "client-server", "mariadb",
        "galera",
        "mysqld1", "mysqld@a",
    ),
}  # fmt: skip
OF_OTHERS = ("client", "mysqld_safe", "mysql", "mysqldump", "mysqld_multi")
NUMBERS = (
    "0",
    "1",
    "1",
    "2",
    "3",
    "9",
    "100",
    "4294967295",
    "4294967296",
    "1K",
    "2k",
    "+1",
    "01",
    "-1",
    "1M",
    "1T",
    "1E",
)
NO_NUMBERS = ("", "abc", "1.5", "1x", "0x1", "1 2", "99999999999999999999999", "16E", "17179869185G", "K")
SWITCHES = ("0", "1", "ON", "OFF", "on", "off", "true", "FALSE", "True", "DETECT_ONLY", "fast", "2", "3", "4", "5")
NO_SWITCHES = ("yes", "no", "", "10", "0x", "-1", "DETECT", "9")
METHODS = ("fsync", "O_DSYNC", "O_DIRECT", "O_DIRECT_NO_FSYNC", "nosync", "littlesync", "o_direct", "0", "1", "3", "5")
NO_METHODS = ("", "O_D", "nos", "bad", "6", "-1", "O_DIRECT,fsync")
FORMATS = ("ROW", "MIXED", "statement", "0", "2", "mix")
FILES = ("x-bin", "ON", "OFF", "0", "1", "", "x-bin", "a b", "off")
VALUES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "sync_binlog": (NUMBERS, NO_NUMBERS),
    "innodb_flush_log_at_trx_commit": (NUMBERS, NO_NUMBERS),
    "innodb_flush_log_at_timeout": (("0", "1", "5", "2700", "3000"), NO_NUMBERS),
    "innodb_force_recovery": (("0", "0", "0", "1", "6", "7"), NO_NUMBERS),
    "innodb_doublewrite": (SWITCHES, NO_SWITCHES),
    "innodb_flush_method": (METHODS, NO_METHODS),
    "binlog_format": (FORMATS, ("bad", "")),
    "log_bin": (FILES, FILES),
}
LIKELY = ("sync_binlog", "innodb_flush_log_at_trx_commit", "innodb_doublewrite", "log_bin")
PREFIXES = (
    "loose-",
    "loose_",
    "skip-",
    "disable-",
    "enable_",
    "maximum-",
    "loose-skip-",
    "skip-enable-",
    "enable-skip-",
    "loose-loose-",
)
OTHERS = (
    "max_connections = 100", "# a comment", "; another", "", "  ", "skip-name-resolve", "innodb_buffer_pool_size=128M",
    "key_buffer_size=16M", "loose-no_such_name=1", "loose-no-such-name", "wait_timeout=60", "hot.key_buffer_size=1M",
    "!unknown directive", "slow_query_log", "innodb-file-per-table=1", "   # sync_binlog=9", "tmp_table_size = 16M",
)  # fmt: skip
WRONG = (
    "innodb_log_flush_at_trx_commit=2", "sync_binary_log=1", "no_such_name=1", "[mysqld", "--sync_binlog=1", "= 5", "-",
    "sync_binlog 1", "max_connections=many", "sync.binlog=0", "loose", "!include", "\N{NO-BREAK SPACE}sync_binlog=1",
    "sync_binlog=0 ; why", "innodb_flush_log_at=2", "no_such_switch", "skip-no-such", "max_connections",
)  # fmt: skip
TAILS = (" # why", "# why", "  ", "\t", " #", "\r", "\f", "\xa0", "\0 more")


@dataclass(frozen=True)
class MadeFile:
    """`lines` of the file itself; `beside`: others that it includes. Characters are bytes."""

    lines: tuple[str, ...]
    beside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    end: str = "\n"
    ends_with_line: bool = True
    mode: int = 0o644
    begins: str = ""

    def write(self, folder: Path, name: str) -> Path:
        for other, lines in self.beside.items():
            _write(folder / other, self._content(lines, folder), 0o666 if other.endswith("open.cnf") else 0o644)
        return _write(folder / name, self.content(folder), self.mode)

    def content(self, folder: Path) -> bytes:
        return self.begins.encode("latin-1") + self._content(self.lines, folder)

    def _content(self, lines: tuple[str, ...], folder: Path) -> bytes:
        text = self.end.join(lines).replace(HERE, str(folder)) + (self.end if self.ends_with_line else "")
        return text.encode("latin-1")


def _write(file: Path, content: bytes, mode: int) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    file.chmod(mode)
    return file


def made(seed: int, flavour: FlavourKey, version: tuple[int, int, int]) -> MadeFile:
    """The same for the same arguments."""
    chance = random.Random(f"{flavour} {version} {seed}")
    lines: list[str] = []
    beside: dict[str, tuple[str, ...]] = {}
    for _ in range(chance.choice((1, 1, 2, 2, 3))):
        lines += _group(chance, flavour, version)
        if chance.random() < 0.1:
            directive, others = _included(chance, flavour, version)
            lines.append(directive)
            beside |= others
            lines += [_line(chance) for _ in range(chance.randint(0, 2))]
    if chance.random() < 0.02:
        lines.insert(0, chance.choice(("sync_binlog=1", "!unknown", "# only a comment")))
    return MadeFile(
        tuple(lines),
        beside,
        end="\r\n" if chance.random() < 0.1 else "\n",
        ends_with_line=chance.random() > 0.1,
        mode=0o666 if chance.random() < 0.02 else 0o644,
        begins="\xef\xbb\xbf" if chance.random() < 0.01 else "",
    )


def _group(chance: random.Random, flavour: FlavourKey, version: tuple[int, int, int]) -> list[str]:
    found = chance.random()
    name = "mysqld" if found < 0.5 else chance.choice(OF_OTHERS if found > 0.9 else SECTIONS[flavour])
    name = name.format(series=f"{version[0]}.{version[1]}", major=version[0])
    name = chance.choice((name,) * 12 + (name.upper(), f"{name} ", f" {name}"))
    section = chance.choice(("",) * 8 + ("  ",)) + f"[{name}]" + chance.choice(("",) * 8 + (" ", " # c", " garbage"))
    return [section, *(_line(chance) for _ in range(chance.randint(1, 4)))]


def _included(
    chance: random.Random, flavour: FlavourKey, version: tuple[int, int, int]
) -> tuple[str, dict[str, tuple[str, ...]]]:
    def group() -> tuple[str, ...]:
        return tuple(_group(chance, flavour, version))

    number = chance.randint(0, 99)
    if chance.random() < 0.5:
        name = chance.choice(("a.cnf", "a.cnf", "a.txt", "open.cnf"))
        return f"!include {HERE}/i{number}/{name}", {f"i{number}/{name}": group()}
    names = chance.sample(("10-a.cnf", "20-b.cnf", "b.ini", "c.cnf.bak", "d.e.cnf", ".f.cnf", "Z.cnf", "open.cnf"), 3)
    return f"!includedir {HERE}/d{number}/", {f"d{number}/{name}": group() for name in names}


def _line(chance: random.Random) -> str:
    found = chance.random()
    if found < 0.012:
        return chance.choice(WRONG)
    if found < 0.15:
        return chance.choice(OTHERS)
    name = chance.choice(LIKELY if chance.random() < 0.6 else tuple(VALUES))
    line = _name(chance, name) + _value(chance, name)
    return chance.choice(("",) * 6 + ("  ", "\t", "\xa0")) + line + chance.choice(("",) * 40 + TAILS)


def _name(chance: random.Random, name: str) -> str:
    found = "".join(chance.choice("-_") if one == "_" else one for one in name) if chance.random() < 0.5 else name
    if chance.random() < 0.04:
        found = found[: -chance.randint(1, 8)]
    if name == "log_bin" and chance.random() < 0.3:
        found = chance.choice(("skip-", "skip_", "disable-")) + found
    elif chance.random() < 0.15:
        found = chance.choice(PREFIXES) + found
    return found.upper() if chance.random() < 0.01 else found


def _value(chance: random.Random, name: str) -> str:
    right, wrong = VALUES[name]
    if chance.random() < (0.4 if name == "log_bin" else 0.05):
        return ""
    value = chance.choice(wrong if chance.random() < 0.04 else right)
    quoted = chance.choice((value,) * 12 + (f'"{value}"', f"'{value}'", f'"{value}', f"\\s{value}", f'"{value} "'))
    return chance.choice(("=", "=", "=", " = ", "= ", " =", "\t=\t")) + quoted
