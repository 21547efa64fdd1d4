"""The settings that decide what a crash loses, and whether a trial ran with those that a server has.

They are those on which workers.servers.risks rests. A preflight keeps every one that the server has, so one that is
missing there does not exist on it. What a trial's variant does not name was decided by the sandbox and by its build.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dashboard.records.experiments.environment import EnvironmentFacts, MeasuredServer
from workers.sandbox import options
from workers.servers.answered import AnsweredFacts
from workers.servers.defaults import defaults_of
from workers.servers.facts import Facts, Version
from workers.servers.look import REDO_LOG, version_of
from workers.toml.table import TomlTable

FILE = TomlTable.of_file(Path(__file__).with_suffix(".toml"))
DECIDING = {engine: FILE.table("deciding").texts(engine) for engine in FILE.table("deciding").data}
_SPELLINGS = {one: name for name in FILE.table("spellings").data for one in FILE.table("spellings").texts(name)}


@dataclass(frozen=True)
class Durability:
    """Of a server or of a trial. `settings`: as the server reported them or as the plan set them, in any spelling."""

    flavour: str
    version_text: str
    settings: Mapping[str, str]

    @property
    def engines(self) -> list[str]:
        """Engines whose commits can be compared; none for a server that did not report its settings, or that keeps
        nothing whatever they are."""
        if self.settings.get(REDO_LOG) == "OFF":
            return []
        return [engine for engine, names in DECIDING.items() if {names[0], "sync_binlog"} <= self.settings.keys()]

    @property
    def version(self) -> Version:
        """10.11.6-MariaDB-log is (10, 11, 6)."""
        return version_of(self.version_text)

    @property
    def deciding(self) -> dict[str, str]:
        """Without the settings that decide nothing."""
        names = set().union(*DECIDING.values())
        return {name: spelled(value) for name, value in self.settings.items() if name in names}


def of_server(facts: AnsweredFacts) -> Durability:
    """Settings that no variant can set are only in the words of a preflight."""
    worded = {name: value for name, value, _ in facts.words}
    flavour = "" if facts.lookalike else facts.flavour
    return _durability(flavour, facts.version_text, {**worded, **facts.settings})


def of_facts(facts: Facts) -> Durability:
    """No trial stands for a fork or a proxy: they have no flavour."""
    return Durability("" if facts.lookalike else facts.flavour, facts.version_text, facts.variables)


def of_trial(environment: EnvironmentFacts, settings: Mapping[str, str]) -> Durability:
    """`settings`: the variant's."""
    server = environment.server or MeasuredServer()
    return _durability(server.flavour, server.version, {**server.variables, **settings})


def _durability(flavour: str, version_text: str, settings: Mapping[str, object]) -> Durability:
    known = {name: str(value) for name, value in settings.items() if value is not None}
    return Durability(flavour, version_text, known)


def agree(engine: str, server: Durability, trial: Durability) -> bool:
    """Whether the trial ran with the settings of the server, on a version of the same series (10.11, 8.0). A setting
    that only the trial names counts as different."""
    if (server.flavour, server.version[:2]) != (trial.flavour, trial.version[:2]):
        return False
    ran, told = {**_defaults(trial), **trial.settings}, server.settings
    return all(
        spelled(told[name]) == spelled(ran[name]) if name in told else name not in trial.settings
        for name in DECIDING[engine]
    )


def key_of(engine: str, one: Durability) -> str:
    """Equal for a server and a trial that agree, and rarely for others: `agree` decides."""
    known = {**_defaults(one), **one.settings}
    values = [spelled(known.get(name, "")) for name in DECIDING[engine]]
    told = json.dumps([engine, one.flavour, *one.version[:2], *values])
    return hashlib.sha256(told.encode()).hexdigest()


def _defaults(trial: Durability) -> dict[str, str]:
    """Of the servers themselves, and of a sandbox's option file."""
    return {**defaults_of(trial.flavour, trial.version), "log_bin": options.DEFAULTS["log_bin"]}


def spelled(value: str) -> str:
    upper = value.strip().upper()
    return _SPELLINGS.get(upper, upper)
