"""What a crash would leave, derived from a server's settings. Only a crash test of the same server on the same storage
is evidence, and the statements say so.

Each statement is about the *engine*, the *binlog* or the *agreement* of both, after a *process kill* (the page cache
survives) or a *power loss* (unflushed data are lost). Each row of RISKS is a way to lose something. Without a row that
applies, nothing is lost.
"""

from dataclasses import dataclass
from functools import lru_cache

from workers.servers.facts import Facts, FlavourKey
from workers.servers.present import Present, present
from workers.servers.risks import CLAIMS, CRASHES, KEPT, RISKS, CrashClass, Outcome, What
from workers.servers.settings import SETTINGS

DERIVED = (
    "Derived from the settings, not measured. It holds for transactional tables, if file system and device keep "
    "what was flushed. Only a crash test shows whether they do."
)


@dataclass(frozen=True)
class DurabilityStatement:
    """One line of the report. `engine`: the storage engine; "" for binlog and agreement."""

    crash_class: CrashClass
    what: What
    outcome: Outcome
    says: str
    rests_on: str  # a claim, or the address of a manual page
    engine: str = ""
    changes: tuple[str, ...] = ()  # the settings that end it, as name=value


_KEPT_RESTS_ON: dict[What, str] = {"binlog": "sync_binlog", "agreement": CLAIMS["X1"]}
_COMMITS_BY = {
    "InnoDB": "innodb_flush_log_at_trx_commit",
    "MyRocks": "rocksdb_flush_log_at_trx_commit",
    "TokuDB": "tokudb_commit_sync",
}


def report(facts: Facts) -> tuple[DurabilityStatement, ...]:
    """All statements on a server. With the binlog off there are none on binlog and agreement."""
    return _report(present(facts), facts.flavour)


@lru_cache(maxsize=1024)  # an audit asks for thousands of servers, and most of them have the same settings
def _report(now: Present, flavour: FlavourKey) -> tuple[DurabilityStatement, ...]:
    there = {"MyRocks": now.myrocks_flush_log is not None, "TokuDB": now.tokudb_commit_sync is not None}
    engines = ["InnoDB", *(engine for engine in there if there[engine])]
    things: list[tuple[What, str]] = [("engine", engine) for engine in engines]
    if now.binlog is not False:
        things += [("binlog", ""), ("agreement", "")]
    return tuple(_state(crash, what, engine, now, flavour) for crash in CRASHES for what, engine in things)


def _state(crash: CrashClass, what: What, engine: str, now: Present, flavour: FlavourKey) -> DurabilityStatement:
    found = [risk for risk in RISKS if crash in risk.crashes and what in risk.whats and engine in risk.engines]
    real = [risk for risk in found if risk.applies(now)]
    if not real:
        kept = _COMMITS_BY[engine] if engine else _KEPT_RESTS_ON[what]
        return DurabilityStatement(crash, what, "kept", KEPT[crash, what], _source(kept, flavour), engine)
    every = "second" if now.flush_every_s in (1, None) else f"{now.flush_every_s} seconds"
    says = " ".join(risk.says.format(every=every, groups=now.sync_binlog) for risk in real)
    sources = dict.fromkeys(_source(risk.rests_on, flavour) for risk in real)
    # A known loss counts even when something else is unknown.
    outcome: Outcome = "may be lost" if any(risk.outcome == "may be lost" for risk in real) else "unknown"
    changes = tuple(dict.fromkeys(risk.change for risk in real if risk.change))
    return DurabilityStatement(crash, what, outcome, says, " ".join(sources), engine, changes)


def _source(rests_on: str, flavour: FlavourKey) -> str:
    """A claim as it is; for a setting the address of its manual page."""
    setting = SETTINGS.get(rests_on)
    if setting and flavour in setting.rules:
        return setting.rules[flavour].manual
    return rests_on
