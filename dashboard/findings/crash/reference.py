"""Crashes that Durascope's authors measured (reference.toml), for settings that were not tried here.

They are no measurement of this installation and no promise for its servers: they have no colour of a verdict, and each
says where it was measured. A setting matches by the same rule as a trial of this installation."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from dashboard.findings.crash import recorded
from dashboard.findings.crash.durability import Durability, agree
from dashboard.findings.crash.rate import rate
from dashboard.records.experiments.kind_names import number_of, title
from dashboard.records.experiments.verdict_label import COMMITS_LOST, NOTHING_LOST
from workers.servers.flavours import FLAVOURS
from workers.toml.table import TomlTable

FILE = TomlTable.of_file(Path(__file__).with_suffix(".toml"))
NAMES = {"innodb": "", "rocksdb": "MyRocks, "}


@dataclass(frozen=True)
class ReferenceCrashes:
    """One crash kind. `crash`: its key; `kind`: in words; `lost`: crashes that lost commits, of `of`; `engine_lost`,
    `binlog_lost`: those that lost them there, None: not known; `otherwise`: those that failed otherwise, of `tried`;
    `loads`: the crash points are of so many recorded loads, 0: trials; `on`: flavour and version; `source`: document
    and chapter; `also`: a sentence on what else happened or limits the figure, or ""."""

    engine: str
    crash: str
    kind: str
    lost: int
    of: int
    engine_lost: int | None
    binlog_lost: int | None
    otherwise: int
    tried: int
    loads: int
    on: str
    source: str
    also: str

    @property
    def says(self) -> str:
        more = f"; {self.otherwise:,} of {self.tried:,} failed in another way" if self.otherwise else ""
        return f"{self.told(self.lost)}{more}"

    @property
    def where(self) -> str:
        return f"measured by Durascope's authors on {self.on}, not here"

    @property
    def place(self) -> str:
        """For a list of references."""
        return f"{self.where} ({self.source.partition(', ')[0]})"

    def told(self, lost: int) -> str:
        """`commits lost in 10 of 10 power losses`. Points of one load are not independent, so they have no bound."""
        if self.loads:
            crashes = recorded.points_of_loads(self.of, self.loads)
            return f"{COMMITS_LOST} at {lost:,} of {crashes}" if lost else f"{NOTHING_LOST} at {crashes}"
        crashes = number_of(self.crash, self.of)
        if lost:
            return f"{COMMITS_LOST} in {lost:,} of {crashes}"
        return f"{NOTHING_LOST} in {crashes} ({rate(0, self.of).at_most})"

    @property
    def in_full(self) -> str:
        """For a reader who sees no page around it."""
        return " ".join(filter(None, (f"{self.kind}: {self.says}, {self.where} ({self.source}).", self.also)))

    def lost_in(self, what: str) -> int | None:
        return {"engine": self.engine_lost, "binlog": self.binlog_lost}.get(what)


@dataclass(frozen=True)
class _Setup:
    ran: Durability
    crashes: ReferenceCrashes


def reference(present: Durability, tried: Mapping[str, Iterable[str]]) -> list[ReferenceCrashes]:
    """Of this version series and these settings. `tried`: engine -> crash kinds that were tried here: these are left
    out."""
    return [
        one.crashes
        for one in setups()
        if one.crashes.engine in present.engines
        and one.crashes.crash not in tried.get(one.crashes.engine, ())
        and agree(one.crashes.engine, present, one.ran)
    ]


def setups() -> Iterable[_Setup]:
    for setup in FILE.tables("setups"):
        flavour = setup.one_of("flavour", FLAVOURS)
        version, engine = setup.text("version"), setup.text("engine")
        on = f"{FLAVOURS[flavour].title} {version}"
        source = f"{setup.text('document')}, {setup.text('chapter')}"
        for measured in setup.tables("measured"):
            texts, crashes = measured.table("settings"), measured.table("crashes")
            ran = Durability(flavour, version, {name: texts.text(name) for name in texts.data})
            for kind in crashes.data:
                yield _Setup(ran, _crashes(crashes.table(kind), engine, kind, on, source))


def _crashes(counts: TomlTable, engine: str, kind: str, on: str, source: str) -> ReferenceCrashes:
    return ReferenceCrashes(
        engine=engine,
        crash=kind,
        kind=NAMES[engine] + title(kind),
        lost=counts.whole("lost"),
        of=counts.whole("of"),
        engine_lost=_known(counts, "engine"),
        binlog_lost=_known(counts, "binlog"),
        otherwise=counts.whole("otherwise", 0),
        tried=counts.whole("tried", counts.whole("of")),
        loads=counts.whole("loads", 0),
        on=on,
        source=source,
        also=counts.text("also", ""),
    )


def _known(counts: TomlTable, name: str) -> int | None:
    return counts.whole(name) if name in counts else None
