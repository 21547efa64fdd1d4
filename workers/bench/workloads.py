"""The registry of workloads. Each is a Lua script of `lua/` with a few parameters.

A new workload is a new file in `lua/` and one entry in WORKLOADS; forms, the command line and the docs follow.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from workers.bench.load import LoadRequest
from workers.bench.plan import ENGINE_FIX, ENGINE_NAME
from workers.errors import PlanError

LUA_FOLDER = Path(__file__).with_name("lua")


@dataclass(frozen=True)
class Param:
    """One parameter of a workload. `minimum` and `maximum` bound an *int*; `choices`: the values of a *choice*, or
    usual values of an int for forms."""

    name: str
    title: str
    kind: Literal["int", "choice"]
    default: str
    minimum: int = 0
    maximum: int = 0
    choices: tuple[str, ...] = ()

    def check(self, value: str) -> str:
        """The value for the script. Raises PlanError."""
        text = str(value).strip()
        return self._whole_number(text) if self.kind == "int" else self._choice(text)

    def _whole_number(self, text: str) -> str:
        if not (text.isascii() and text.isdigit()) or len(text) > 12:
            raise PlanError(f"{self.title}: {text[:40]!r} is not a whole number.", self._hint())
        if not self.minimum <= int(text) <= self.maximum:
            raise PlanError(f"{self.title}: {int(text)} is out of range.", self._hint())
        return str(int(text))

    def _choice(self, text: str) -> str:
        if text not in self.choices:
            raise PlanError(f"{self.title}: {text[:40]!r} is not a choice.", self._hint())
        return text

    def _hint(self) -> str:
        if self.kind == "int":
            return f"Give {self.name} a whole number from {self.minimum} to {self.maximum}."
        return f"Give {self.name} one of: {', '.join(self.choices)}."


def _one_row(params: Mapping[str, str]) -> int:
    return 1


@dataclass(frozen=True)
class Workload:
    """A kind of transaction. `script`: the Lua file; `writes`: it must change rows, else the run is not valid; `grows`:
    its table is emptied before each cell; `table`: else the loaded table ("spaced" has room between its keys, and keeps
    new rows); `claims`: ids in docs/claims.md; `rows`: changed by one transaction; `counts`: the unit of throughput."""

    key: str
    title: str
    says: str
    script: str
    params: Mapping[str, Param]
    writes: bool = True
    grows: bool = False
    table: str = "rows"
    claims: tuple[str, ...] = ()
    rows: Callable[[Mapping[str, str]], int] = _one_row
    counts: str = "commits"

    def check(self, params: Mapping[str, str]) -> dict[str, str]:
        """All parameters, with defaults. Raises PlanError for an unknown name or a wrong value."""
        unknown = [name for name in params if name not in self.params]
        if unknown:
            known = ", ".join(self.params) or "none"
            raise PlanError(f"{self.title} has no parameter {str(unknown[0])[:40]!r}.", f"It has: {known}.")
        return {name: param.check(params.get(name, param.default)) for name, param in self.params.items()}

    def shape(self, params: Mapping[str, str]) -> str:
        """Its prepared table: workloads of equal shape share one, per engine and row count."""
        return ("grown" if self.grows else self.table) + ("-plain" if params.get("index") == "no" else "")


def _listed(*params: Param) -> dict[str, Param]:
    return {param.name: param for param in params}


def _registry(*workloads: Workload) -> dict[str, Workload]:
    return {workload.key: workload for workload in workloads}


INDEX = Param("index", "Secondary index", "choice", "yes", choices=("yes", "no"))

WORKLOADS: dict[str, Workload] = _registry(
    Workload(
        key="update-by-key",
        title="Update one row by key",
        says="One UPDATE of a column without an index, by primary key: the smallest durable transaction.",
        script="update_by_key.lua",
        params={},
        claims=("G1", "G2", "G3", "G4", "G5"),
    ),
    Workload(
        key="replace",
        title="Replace one row",
        says="One REPLACE of a row that is there: a blind write where the engine can do without reading first.",
        script="replace.lua",
        params=_listed(INDEX),
        claims=("R1",),
    ),
    Workload(
        key="insert",
        title="Insert one row",
        says="One new row per transaction, appended or scattered over the index.",
        script="insert.lua",
        params=_listed(Param("keys", "Order of new keys", "choice", "ascending", choices=("ascending", "random"))),
        grows=True,
    ),
    Workload(
        key="rows-per-transaction",
        title="Rows per transaction",
        says="Many new rows share one commit: how far larger transactions make up for slow flushes.",
        script="rows_per_transaction.lua",
        params=_listed(
            Param("rows", "Rows per transaction", "int", "1", 1, 10_000, ("1", "10", "100", "1000", "10000")),
            Param("style", "Statements", "choice", "multi", choices=("multi", "trx")),
        ),
        grows=True,
        claims=("T1",),
        rows=lambda params: int(params["rows"]),
    ),
    Workload(
        key="insert-ignore",
        title="Insert one row unless it is there",
        says=(
            "One INSERT IGNORE into a full table, with a chosen share of keys that are there already. "
            "Throughput counts inserts tried, not commits."
        ),
        script="insert_ignore.lua",
        params=_listed(Param("existing_percent", "Keys that are there already, in %", "int", "50", 0, 90), INDEX),
        table="spaced",
        claims=("R1",),
        counts="inserts tried",  # an insert of an existing key commits nothing
    ),
    Workload(
        key="oltp-read-write",
        title="OLTP read-write (complex)",
        says="sysbench's complex transaction: reads by key and by range, two updates, a delete and an insert.",
        script="oltp_complex.lua",
        params=_listed(
            Param("point_selects", "Reads by key", "int", "10", 0, 1000),
            Param("range_size", "Rows per range read", "int", "100", 1, 10_000),
        ),
        claims=("A1",),
        rows=lambda params: 4,
    ),
    Workload(
        key="write-only",
        title="OLTP write-only",
        says="The writing half of the complex transaction: two updates, a delete and an insert, one commit.",
        script="write_only.lua",
        params={},
        rows=lambda params: 4,
    ),
    Workload(
        key="durable-once-a-second",
        title="Durable once a second",
        says=(
            "Updates by key that are made durable once a second, at most about a second of them at risk. "
            "Throughput counts updates, not commits."
        ),
        script="once_a_second.lua",
        params=_listed(
            Param("how", "Who relaxes it", "choice", "open-transaction", choices=("open-transaction", "session"))
        ),
        claims=("T2",),
        counts="updates",
    ),
)

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
