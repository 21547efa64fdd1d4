"""The registry of workloads. Each is a Lua script of `lua/` with a few parameters (workloads.toml)."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from workers.bench.load import LoadRequest
from workers.bench.plan import ENGINE_FIX, ENGINE_NAME
from workers.errors import PlanError
from workers.toml.table import TomlTable
from workers.transaction.declaration import Declaration
from workers.transaction.read import read as read_declaration

FILE = Path(__file__).with_suffix(".toml")
LUA_FOLDER = Path(__file__).with_name("lua")
OWN = "own-transaction"  # the workload that runs a person's own transaction, its parameter `file`


@dataclass(frozen=True)
class Param:
    """One parameter of a workload; workloads.toml explains the fields. A `file` is the text of an own transaction
    (workers/transaction)."""

    name: str
    title: str
    default: str
    least: int = 0
    most: int = 0
    choices: tuple[str, ...] = ()
    file: bool = False

    def check(self, value: str) -> str:
        """The value for the script. Raises PlanError."""
        if self.file:
            read_declaration(str(value))
            return str(value)
        text = str(value).strip()
        return self._choice(text) if self.choices else self._whole_number(text)

    def _choice(self, text: str) -> str:
        if text not in self.choices:
            hint = f"Give {self.name} one of: {', '.join(self.choices)}."
            raise PlanError(f"{self.title}: {text[:40]!r} is not a choice.", hint)
        return text

    def _whole_number(self, text: str) -> str:
        hint = f"Give {self.name} a whole number from {self.least} to {self.most}."
        if not (text.isascii() and text.isdigit()) or len(text) > 12:
            raise PlanError(f"{self.title}: {text[:40]!r} is not a whole number.", hint)
        if not self.least <= int(text) <= self.most:
            raise PlanError(f"{self.title}: {int(text)} is out of range.", hint)
        return str(int(text))


@dataclass(frozen=True)
class Workload:
    """A kind of transaction; workloads.toml explains the fields."""

    key: str
    title: str
    says: str
    script: str
    params: Mapping[str, Param]
    grows: bool = False
    refills: bool = False
    table: str = "rows"
    rows_fixed: int = 1
    counts: str = "commits"

    def check(self, params: Mapping[str, str]) -> dict[str, str]:
        """All parameters, with defaults. Raises PlanError for an unknown name or a wrong value."""
        unknown = [name for name in params if name not in self.params]
        if unknown:
            known = ", ".join(self.params) or "none"
            raise PlanError(f"{self.title} has no parameter {str(unknown[0])[:40]!r}.", f"It has: {known}.")
        return {name: param.check(params.get(name, param.default)) for name, param in self.params.items()}

    def rows(self, params: Mapping[str, str]) -> int:
        """Rows that one transaction changes."""
        return int(params.get("rows", self.rows_fixed))

    def shape(self, params: Mapping[str, str]) -> str:
        """Its prepared table: workloads of equal shape share one, per engine and row count."""
        if self.key == OWN:
            return OWN  # a plan has only one
        return ("grown" if self.grows else self.table) + ("-plain" if params.get("index") == "no" else "")


def read(path: Path) -> dict[str, Workload]:
    """Raises PlanError naming file, table and key."""
    file = TomlTable.of_file(path)
    return {key: _workload(key, file.table(key)) for key in file.data}


def _workload(key: str, table: TomlTable) -> Workload:
    params = table.table("params", {})
    read_params = {name: params.table(name).read(Param, name=name) for name in params.data}
    return table.read(Workload, key=key, params=read_params)


WORKLOADS = read(FILE)


def own_transaction(params: Mapping[str, str]) -> Declaration | None:
    """The own transaction in a workload's parameters; None: they are of another workload. Raises PlanError."""
    return read_declaration(params["file"]) if "file" in params else None


# Engines with a durability setting per session; those of InnoDB and MyRocks are global.
SESSION_DURABILITY = ("tokudb",)


def fit(request: LoadRequest) -> dict[str, str]:
    """The request's parameters, checked together with engine, rows and threads. Raises PlanError."""
    if request.workload not in WORKLOADS:
        raise PlanError(f"There is no workload {request.workload!r}.", f"Known: {', '.join(WORKLOADS)}.")
    if not ENGINE_NAME.fullmatch(request.engine):
        raise PlanError(f"{request.engine[:40]!r} is no name of a storage engine; nothing was started.", ENGINE_FIX)
    params = WORKLOADS[request.workload].check(request.params)
    how = params.get("how")
    if how == "session" and request.engine.lower() not in SESSION_DURABILITY:
        raise PlanError(
            f"{request.engine} has no durability setting per session; nothing was started.",
            f"Choose how=open-transaction, or an engine of: {', '.join(SESSION_DURABILITY)}.",
        )
    if how == "open-transaction" and request.table_rows < request.threads:
        raise PlanError(
            f"{request.threads} threads need a row each, the table has {request.table_rows}; nothing was started.",
            "Raise the table rows or lower the threads.",
        )
    return params
