"""The environment of a run: its facts, their texts, and the differences between environments."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from dashboard.text.numbers import UNKNOWN, size
from workers.host.environment import HostFacts, StorageFacts
from workers.toml.table import TomlTable

FILE = TomlTable.of_file(Path(__file__).with_suffix(".toml"))
FACTS = {name: FILE.table("facts").texts(name) for name in FILE.table("facts").data}
SIMULATED = "simulated device"
OF_WORKER = "worker's "  # before the name of a fact
PLACES = frozenset(FILE.texts("places"))


@dataclass(frozen=True)
class MeasuredServer:
    """`engines` None: not asked. The variables of a crash trial are those of its variant: none are listed here."""

    flavour: str = ""
    version: str = ""
    engines: Mapping[str, str] | None = None
    variables: Mapping[str, str | int | float | bool | None] = field(default_factory=dict)


@dataclass(frozen=True)
class EnvironmentFacts:
    """As stored in `Environment.data`. `storage` None: the data lie on another host; `sysbench` None: its version is
    not known; `server` None: a crash trial of a registered server."""

    host: HostFacts = field(default_factory=HostFacts)
    storage: StorageFacts | None = None
    sysbench: str | None = None
    server: MeasuredServer | None = None

    @property
    def variables(self) -> Mapping[str, str | int | float | bool | None]:
        return self.server.variables if self.server else {}

    def as_stored(self) -> dict[str, object]:
        """Facts that only cells have are left out of the environment of a trial."""
        server = asdict(self.server) if self.server else {}
        known = asdict(self) | {"server": {name: value for name, value in server.items() if value is not None}}
        return {name: value for name, value in known.items() if name != "sysbench" or value is not None}


def facts(found: EnvironmentFacts) -> dict[str, str]:
    """Fact -> its text on a page; a dash if it is not known. Only a simulated device has that fact. The facts of a
    worker that measured another host are named as the worker's."""
    known = {_named(name, path, found): _text(name, _at(found, path)) for name, path in FACTS.items()}
    return {name: text for name, text in known.items() if name != SIMULATED or text != UNKNOWN}


def _named(name: str, path: tuple[str, ...], found: EnvironmentFacts) -> str:
    return OF_WORKER + name if path[0] == "host" and found.storage is None else name


def differences(environments: Sequence[EnvironmentFacts]) -> list[tuple[str, list[str]]]:
    """(Fact or variable, its value in each environment) where the values differ: facts first, then variables."""
    shown = [facts(one) for one in environments]
    names = sorted({name for one in environments for name in one.variables} - PLACES)
    told = dict.fromkeys(name for one in shown for name in one)
    rows = [(name, [one.get(name, UNKNOWN) for one in shown]) for name in told]
    rows += [(name, [str(one.variables.get(name, UNKNOWN)) for one in environments]) for name in names]
    return [(name, values) for name, values in rows if len(set(values)) > 1]


def _text(name: str, value: object) -> str:
    if value is None or value == "":
        return UNKNOWN
    return size(value) if name == "memory" and isinstance(value, int) else str(value)


def _at(found: EnvironmentFacts, path: tuple[str, ...]) -> object:
    value: object = found
    for name in path:
        value = getattr(value, name) if value is not None else None
    return value
