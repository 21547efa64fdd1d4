"""Explanations of the terms on pages, with links to manuals: terms.toml. Settings are explained in
`workers.servers.settings`. Templates write a term as `{% term "..." %}`. A test reports terms without
an explanation."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from workers.servers.settings import SETTINGS, Setting
from workers.toml.table import TomlTable

FILE = Path(__file__).with_name("terms.toml")
MANUALS = {"mariadb": "MariaDB", "mysql": "MySQL", "sysbench": "sysbench"}
ROOTS = {
    "mariadb": "https://mariadb.com/kb/en/",
    "mysql": "https://dev.mysql.com/doc/refman/8.4/en/",
    "sysbench": "https://github.com/akopytov/sysbench",
}


@dataclass(frozen=True)
class Term:
    """`says`: one line; `manuals`: name of the manual -> address of its page."""

    says: str
    manuals: Mapping[str, str] = field(default_factory=dict)


def read(path: Path) -> dict[str, Term]:
    """Raises PlanError naming file, table and key."""
    file = TomlTable.of_file(path)
    file.only(("says", "same", "manuals"))
    says, same = file.table("says"), file.table("same")
    pages = {word: found for table in file.tables("manuals") for word, found in _pages(table, says).items()}
    terms = {word: Term(says.text(word), pages.get(word, {})) for word in says.data}
    return terms | {word: terms[same.one_of(word, terms)] for word in same.data}


def _pages(table: TomlTable, says: TomlTable) -> dict[str, dict[str, str]]:
    table.only((*MANUALS, "terms"))
    found = {MANUALS[whose]: ROOTS[whose] + table.text(whose) for whose in MANUALS if whose in table}
    return dict.fromkeys(table.some_of("terms", says.data), found)


TERMS = read(FILE)


def explained(word: str) -> Term | None:
    """The explanation of a word or of the name of a setting; None without one."""
    if word in SETTINGS:
        return of_setting(SETTINGS[word])
    return TERMS.get(word.lower())


def of_setting(setting: Setting) -> Term:
    return Term(setting.explains, {MANUALS[flavour]: rule.manual for flavour, rule in setting.rules.items()})
