"""Explanations of the terms on pages, with links to manuals: docs/glossary.md, the registries of crash kinds and
faults, terms.toml. Settings are explained in `workers.servers.settings`. Templates write a term as `{% term "..." %}`.
A test reports terms without an explanation."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from dashboard.findings.tested import ENGINES
from dashboard.pages import documents
from dashboard.records.experiments.kind_names import title
from workers.bench.trial_kinds import TRIAL_KINDS
from workers.servers.settings import SETTINGS, Setting
from workers.toml.table import TomlTable

GLOSSARY = "Words"
CRASHES = "Crash matrix, trials and failovers"
LEFT_OUT = ""  # the group of words that the page Glossary leaves out: [headings] and [same]
FILE = Path(__file__).with_name("terms.toml")
MANUALS = {"mariadb": "MariaDB", "mysql": "MySQL", "sysbench": "sysbench"}
ROOTS = {
    "mariadb": "https://mariadb.com/kb/en/",
    "mysql": "https://dev.mysql.com/doc/refman/8.4/en/",
    "sysbench": "https://github.com/akopytov/sysbench",
}
INNODB = ENGINES["innodb"].lower()
ENGINE = re.compile("|".join(("the engine", *map(str.lower, ENGINES.values()))))


WORDS = tuple((word, re.sub("[`*]", "", meaning)) for word, meaning in documents.tables("glossary.md")[0])


@dataclass(frozen=True)
class Term:
    """`says`: one line; `manuals`: name of the manual -> address of its page."""

    says: str
    manuals: Mapping[str, str] = field(default_factory=dict)


def read(path: Path) -> dict[str, dict[str, Term]]:
    """The terms of each group. Raises PlanError naming file, table and key."""
    file = TomlTable.of_file(path)
    file.only(("says", "headings", "same", "manuals"))
    says, same = file.table("says"), file.table("same")
    tables = {**{name: says.table(name) for name in says.data}, LEFT_OUT: file.table("headings")}
    groups = {name: {word: table.text(word) for word in table.data} for name, table in tables.items()}
    groups[CRASHES] |= {name: kind.says for key, kind in TRIAL_KINDS.items() if (name := title(key)) not in dict(WORDS)}
    groups[GLOSSARY] = dict(WORDS)
    known = [word for group in groups.values() for word in group]
    pages = {word: found for table in file.tables("manuals") for word, found in _pages(table, known).items()}
    found = {
        name: {word: Term(meaning, pages.get(word, {})) for word, meaning in group.items()}
        for name, group in groups.items()
    }
    terms = {word: term for group in found.values() for word, term in group.items()}
    found[LEFT_OUT] |= {word: terms[same.one_of(word, known)] for word in same.data}
    return found


def _pages(table: TomlTable, known: Iterable[str]) -> dict[str, dict[str, str]]:
    table.only((*MANUALS, "terms"))
    found = {MANUALS[whose]: ROOTS[whose] + table.text(whose) for whose in MANUALS if whose in table}
    return dict.fromkeys(table.some_of("terms", known), found)


GROUPS = read(FILE)
TERMS = {word.lower(): term for terms in GROUPS.values() for word, term in terms.items()}


def explained(word: str) -> Term | None:
    """The explanation of a word or of the name of a setting; None without one. That of `Lost from MyRocks` is that of
    `Lost from InnoDB`."""
    if word in SETTINGS:
        return of_setting(SETTINGS[word])
    key = word.lower()
    found = TERMS.get(key) or TERMS.get(ENGINE.sub(INNODB, key))
    return replace(found, says=_sentence(found.says)) if found else None


def _sentence(says: str) -> str:
    """The glossary begins with a small letter and has no full stop."""
    return f"{says[:1].upper()}{says[1:].removesuffix('.')}."


def of_setting(setting: Setting) -> Term:
    return Term(setting.explains, {MANUALS[flavour]: rule.manual for flavour, rule in setting.rules.items()})
