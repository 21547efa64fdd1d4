"""Makes workers/servers/pasted/options.tsv from the servers themselves:

    python -m tests.bench.option_files.table [BUILD ...] > workers/servers/pasted/options.tsv

Names come from `--verbose --help`; bounds and choices from what the server makes of values that are too small, too
large, or a number; defaults from a server that was started with an empty file.
"""

import re
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.option_files.asked import VALIDATES, Answer, helped, printed_help, started
from workers.sandbox import builds
from workers.sandbox.builds import Build
from workers.servers.compared import name_of
from workers.servers.settings import switch

BUILDS = (
    "mariadb-10.1.23", "mariadb-10.5", "system-mariadb", "mariadb-11.8", "mysql-5.6.14", "mysql-8.0.33", "mysql-9.7",
)  # fmt: skip
OPTION = re.compile(r"^  (?:-., )?--([A-Za-z][\w.-]*)(\[?=(?:name|#)\]?)? ?(?: |$)", re.MULTILINE)
GROUPS = re.compile(r"^The following groups are read: (.*)$", re.MULTILINE)
KINDS = {"=#": "n", "[=#]": "N", "=name": "s", "[=name]": "S"}  # without a value of its own: "b"
ENDS_THE_START = {"help", "verbose", "version", "bootstrap", "initialize", "initialize_insecure", "validate_config"}
TOO_MUCH = (str(2**64 - 1), str(2**63 - 1), str(2**31 - 1))
WORDS = ("", "fsync", "fdatasync", "O_DSYNC", "O_DIRECT", "O_DIRECT_NO_FSYNC", "ALL_O_DIRECT", "littlesync", "nosync")
MOST_CHOICES = 20


@dataclass(frozen=True)
class Asked:
    """A build and a folder for its files."""

    build: Build
    scratch: Path

    def file(self, *lines: str) -> Path:
        file = self.scratch / f"{self.build.key}.cnf"
        file.write_text("\n".join(("[mysqld]", *lines, "")))
        file.chmod(0o644)
        return file

    def helped(self, *lines: str) -> Answer:
        return helped(self.build, self.file(*lines), self.scratch)

    def started(self, *lines: str) -> Answer:
        return started(self.build, self.file(*lines), self.scratch)


@dataclass
class Column:
    """Of one server: `head`: what is said of it as a whole; `cells`: by option."""

    head: dict[str, str] = field(default_factory=dict)
    cells: dict[str, str] = field(default_factory=dict)


def column(asked: Asked) -> Column:
    printed = printed_help(asked.build, asked.file(), asked.scratch)
    kinds = {name.replace("-", "_").lower(): KINDS.get(argument, "b") for name, argument in OPTION.findall(printed)}
    groups = GROUPS.search(printed)
    found = Column({"groups": groups[1].strip() if groups else "", **_habits(asked)})
    defaults, listed = asked.started(), asked.helped()
    if defaults.refuses:
        raise SystemExit(f"{asked.build.key} does not start: {defaults.refuses}")
    for name, kind in kinds.items():
        default = defaults.values.get(name, listed.values.get(name, ""))
        known = name_of(name) and (name in listed.values or name == "innodb_flush_method" or name == "log_bin")
        found.cells[name] = _details(asked, name, kind, default) if known else kind
    return found


def _habits(asked: Asked) -> dict[str, str]:
    """What versions do differently with names and numbers."""

    def sync(*lines: str) -> str:
        answer = asked.helped(*lines)
        return "refused" if answer.refuses else answer.values["sync_binlog"]

    return {
        "capitals": "read" if sync("SYNC_BINLOG=7") == "7" else "refused",
        "short": "read" if sync("sync_bin=7") == "7" else "refused",
        "dots": "read" if sync("a.sync_binlog=7") == "7" else "refused",
        "autoset": "known" if sync("loose-autoset-sync_binlog=7") == "refused" else "unknown",
        "loose_wrong": "read" if sync("loose-sync_binlog=5x") == "0" else "refused",
        "empty_number": "0" if sync("sync_binlog=") == "0" else "refused",
        "negative": {"refused": "refused", "0": "least"}.get(sync("sync_binlog=-1"), "most"),
        "overflow": "wraps" if sync("sync_binlog=17179869185G") == str(2**30) else "refused",
        "units": "KMGTPE" if sync("sync_binlog=1T") != "refused" else "KMG",
        "bits": "63" if sync("sync_binlog=9223372036854775808") == "refused" else "64",
        "cut_lines": "joined" if sync("sync_binlog=7\0", "8") == "78" else "end",
        "last_include": _last_include(asked),
        "endings": _endings(asked),
        "without_innodb": "refused" if asked.started("innodb=OFF").refuses else "starts",
        "read_only_doublewrite": asked.started("innodb_read_only=1").values.get("innodb_doublewrite", "?").lower(),
    }


def _last_include(asked: Asked) -> str:
    """Whether an include at the end of a file without the end of its line has its whole name."""
    (asked.scratch / "a.cnf").write_text("[mysqld]\nsync_binlog=7\n")
    file = asked.file()
    file.write_text(f"[mysqld]\n!include {asked.scratch / 'a.cnf'}")
    return "whole" if helped(asked.build, file, asked.scratch).values.get("sync_binlog") == "7" else "cut"


def _endings(asked: Asked) -> str:
    """Whether `a.b.cnf` in a folder that is included ends with .cnf."""
    folder = asked.scratch / "included"
    folder.mkdir(exist_ok=True)
    (folder / "a.b.cnf").write_text("[mysqld]\nsync_binlog=7\n")
    return "last dot" if asked.helped(f"!includedir {folder}").values.get("sync_binlog") == "7" else "first dot"


def _details(asked: Asked, name: str, kind: str, default: str) -> str:
    """`kind default bounds` or `kind default choices`; see workers/servers/pasted/options.py."""
    if kind in ("n", "N"):
        least, most = _number(asked, name, ("0",)), _number(asked, name, TOO_MUCH)
        return f"{kind} {_unsigned(default, most)} {least}..{most}"
    if kind == "b":
        wrong = asked.helped(f"{name}={'no'}")
        strict = "ignoring option" not in wrong.said and "ignored due to" not in wrong.said
        loose = asked.helped(f"{name}=0x").values.get(name) != wrong.values.get(name)
        return f"{'b' if strict else 'l' if loose else 'i'} {switch(default) or '-'}"
    if name == "innodb_flush_method" and asked.helped(f"{name}=3").values.get(name) == "3":
        words = [word for word in WORDS if not asked.started(f"{name}={word}").refuses]
        return f"{'w' if kind == 's' else 'W'} {default or '-'} {','.join(words)}"
    choices = list(_choices(asked, name))
    return (
        f"{'e' if kind == 's' else 'E'} {default or '-'} {','.join(choices)}" if choices else f"{kind} {default or '-'}"
    )


def _number(asked: Asked, name: str, values: Iterable[str]) -> str:
    """What it makes of the first that it does not refuse."""
    answers = (asked.helped(f"{name}={value}") for value in values)
    return next((_unsigned(one.values[name], "") for one in answers if not one.refuses and name in one.values), "?")


def _unsigned(value: str, most: str) -> str:
    """5.6 prints the largest number as -1."""
    if not value.startswith("-"):
        return value
    return most if most and not most.startswith("-") else str(2**32 + int(value))


def _choices(asked: Asked, name: str) -> Iterable[str]:
    if not asked.helped(f"{name}=no_such_word_at_all").refuses:
        return
    for number in range(MOST_CHOICES):
        answer = asked.helped(f"{name}={number}")
        if answer.refuses or name not in answer.values:
            return
        yield answer.values[name]


def hidden(asked: Asked, candidates: Iterable[str]) -> list[str]:
    """Names that the server takes and its help does not print."""
    left, known = sorted({*candidates} - ENDS_THE_START), []
    tells = ["log_error_verbosity=2"] if asked.build.flavour == "mysql" and asked.build.version >= VALIDATES else []
    while left:
        answer = asked.helped(*tells, *(f"loose-{name}=1" for name in left))
        if not answer.refuses:
            return known + [name for name in left if _is_known(name, answer.said)]
        blamed = [name for name in left if re.search(rf"\b{name.replace('_', '[-_]')}\b", answer.refuses)]
        if not blamed:
            print(f"{asked.build.key}: {answer.refuses}", file=sys.stderr)
            return known
        longest = max(blamed, key=len)
        left.remove(longest)
        known += [longest] if "ambiguous" not in answer.refuses and "not unique" not in answer.refuses else []
    return known


def _is_known(name: str, said: str) -> bool:
    """A name that is only the beginning of another is told, too."""
    return not re.search(rf"(?:loose-{name}=1|prefix '?{name}\b)", said)


def table(columns: Mapping[str, Column]) -> Iterable[str]:
    yield "\t".join(("server", *columns))
    for row in next(iter(columns.values())).head:
        yield "\t".join((f"@{row}", *(one.head[row] for one in columns.values())))
    for name in sorted({name for one in columns.values() for name in one.cells}):
        yield "\t".join((name, *(one.cells.get(name, "") for one in columns.values())))


def main(keys: Iterable[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="ds-option-files-") as folder:
        servers = [Asked(builds.find(key), Path(folder)) for key in keys]
        columns = {f"{one.build.flavour} {one.build.version_text}": column(one) for one in servers}
        names = {name for one in columns.values() for name in one.cells}
        for asked, found in zip(servers, columns.values(), strict=True):
            listed = asked.helped().values
            more = hidden(asked, (names | listed.keys()) - found.cells.keys())
            found.cells |= dict.fromkeys(more, "?")
        print("\n".join(table(columns)))


if __name__ == "__main__":
    main(sys.argv[1:] or BUILDS)
