"""The settings with which a crash can lose something: the rows of risks.toml."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from workers.servers.conditions import CONDITIONS
from workers.servers.present import Present
from workers.servers.settings import SETTINGS
from workers.toml.table import TomlTable

CrashClass = Literal["process kill", "power loss"]
What = Literal["engine", "binlog", "agreement"]
Outcome = Literal["kept", "may be lost", "unknown"]

FILE = Path(__file__).with_name("risks.toml")
CRASHES: tuple[CrashClass, ...] = get_args(CrashClass)
WHATS: tuple[What, ...] = get_args(What)
ENGINES = ("InnoDB", "MyRocks", "TokuDB")
INNODB = ("InnoDB", "")  # "": binlog and agreement
KEYS = ("crashes", "loses", "when", "says", "rests_on", "engines", "outcome", "change")


@dataclass(frozen=True)
class Risk:
    """One way to lose something. `says` may hold {every} and {groups}, filled from Present."""

    crashes: tuple[CrashClass, ...]
    whats: tuple[What, ...]
    conditions: tuple[Callable[[Present], bool], ...]
    says: str
    rests_on: str  # a claim, a setting whose manual page says so, or an address
    outcome: Outcome = "may be lost"
    engines: tuple[str, ...] = INNODB
    change: str = ""  # the setting that ends the risk, as name=value

    def applies(self, now: Present) -> bool:
        return all(applies(now) for applies in self.conditions)


def read(path: Path) -> tuple[dict[str, str], dict[tuple[CrashClass, What], str], tuple[Risk, ...]]:
    """(claims, sentences where no risk applies, risks). Raises PlanError naming file, table and key."""
    file = TomlTable.of_file(path)
    file.only(("claims", "kept", "risks"))
    claims, kept = file.table("claims"), file.table("kept")
    texts = {name: claims.text(name) for name in claims.data}
    sentences = {(crash, what): kept.table(crash).text(what) for crash in CRASHES for what in WHATS}
    return texts, sentences, tuple(_risk(table, texts) for table in file.tables("risks"))


def _risk(table: TomlTable, claims: dict[str, str]) -> Risk:
    table.only(KEYS)
    rests_on = table.text("rests_on")
    if not rests_on.startswith("https://"):
        table.one_of("rests_on", (*claims, *SETTINGS))
    return Risk(
        table.some_of("crashes", CRASHES),
        table.some_of("loses", WHATS),
        tuple(CONDITIONS[name] for name in table.some_of("when", CONDITIONS)),
        table.text("says"),
        claims.get(rests_on, rests_on),
        table.one_of("outcome", get_args(Outcome), "may be lost"),
        table.some_of("engines", ENGINES) if "engines" in table else INNODB,
        table.text("change", ""),
    )


CLAIMS, KEPT, RISKS = read(FILE)
