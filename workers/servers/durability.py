"""What a crash would leave, derived from a server's settings. Only a crash test of the same server on the same storage
is evidence, and the statements say so.

Each statement is about the *engine*, the *binlog* or the *agreement* of both, after a *process kill* (the page cache
survives) or a *power loss* (unflushed data are lost). Each row of RISKS is a way to lose something. *kept* means that
no row applies and that every setting is understood which a row asks for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from workers.servers.deciding import Deciding, NotKnown
from workers.servers.facts import Facts, FlavourKey
from workers.servers.lookalikes import LOOKALIKES, Lookalike
from workers.servers.risks import CLAIMS, CRASHES, KEPT, RISKS, WHATS, CrashClass, Outcome, Risk, What
from workers.servers.settings import SETTINGS

LONGEST_VALUE = 40  # in a sentence
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
    changes: tuple[str, ...] = ()  # the settings that end it, as name=value, or a statement


_KEPT_RESTS_ON: dict[What, str] = {"binlog": "sync_binlog", "agreement": CLAIMS["X1"]}
_ALWAYS: dict[What, tuple[str, ...]] = {
    "engine": (),
    "binlog": ("log_bin", "binlog_storage_engine"),
    "agreement": ("log_bin", "binlog_storage_engine"),
}  # whichever rows ask
_COMMITS_BY = {
    "InnoDB": "innodb_flush_log_at_trx_commit",
    "MyRocks": "rocksdb_flush_log_at_trx_commit",
    "TokuDB": "tokudb_commit_sync",
}


ENGINE_KEYS = {"MyRocks": "rocksdb", "TokuDB": "tokudb"}


def report(facts: Facts) -> tuple[DurabilityStatement, ...]:
    """All statements on a server. With the binlog off there are none on binlog and agreement."""
    if facts.lookalike:
        return tuple(_unjudged(crash, what, LOOKALIKES[facts.lookalike]) for crash in CRASHES for what in WHATS)
    return _report(Deciding.of(facts))


def _unjudged(crash: CrashClass, what: What, lookalike: Lookalike) -> DurabilityStatement:
    engine = "InnoDB" if what == "engine" else ""
    return DurabilityStatement(crash, what, "unknown", lookalike.says, lookalike.source, engine)


@lru_cache(maxsize=1024)  # an audit asks for thousands of servers, and most of them have the same settings
def _report(now: Deciding) -> tuple[DurabilityStatement, ...]:
    engines = ["InnoDB", *(name for name in ("MyRocks", "TokuDB") if ENGINE_KEYS[name] in now.engines)]
    things: list[tuple[What, str]] = [("engine", engine) for engine in engines]
    if _not_known(now, "log_bin") or now.on("log_bin"):
        things += [("binlog", ""), ("agreement", "")]
    return tuple(_state(crash, what, engine, now) for crash in CRASHES for what, engine in things)


def _not_known(now: Deciding, setting: str) -> tuple[NotKnown, ...]:
    try:
        now.word(setting)
    except NotKnown as one:
        return (one,)
    return ()


def _state(crash: CrashClass, what: What, engine: str, now: Deciding) -> DurabilityStatement:
    """A known loss counts even when something else is unknown. Nothing is kept unless all is known that it rests on."""
    found = [risk for risk in RISKS if crash in risk.crashes and what in risk.whats and engine in risk.engines]
    answers = [(risk, risk.applies(now)) for risk in found]
    real = [risk for risk, applies in answers if applies is True]
    bare = [one for name in _ALWAYS[what] for one in _not_known(now, name)]
    lacking = [one for _, applies in answers if isinstance(applies, tuple) for one in applies] + bare
    if not real and not lacking:
        kept = _COMMITS_BY[engine] if engine else _KEPT_RESTS_ON[what]
        return DurabilityStatement(crash, what, "kept", KEPT[crash, what], _source(kept, now.flavour), engine)
    is_lost = any(risk.outcome == "may be lost" for risk in real)
    says = [_says(risk, now) for risk in real] + ([] if is_lost or not lacking else [_in_words(lacking)])
    asked = [risk.rests_on for risk, applies in answers if applies is True or (applies and not is_lost)]
    sources = dict.fromkeys(_source(name, now.flavour) for name in (*asked, *(one.setting for one in bare)))
    changes = tuple(dict.fromkeys(risk.change for risk in real if risk.change))
    outcome: Outcome = "may be lost" if is_lost else "unknown"
    return DurabilityStatement(crash, what, outcome, " ".join(says), " ".join(sources), engine, changes)


def _in_words(lacking: Sequence[NotKnown]) -> str:
    """One sentence: an audit shows the first one."""
    told = (
        one.setting if one.value is None else f"the value {one.value[:LONGEST_VALUE]!r} of {one.setting}"
        for one in lacking
    )
    return f"Not known here: {', '.join(dict.fromkeys(told))}."


def _says(risk: Risk, now: Deciding) -> str:
    return risk.says.format(every=_every(now), groups=dict(now.values).get("sync_binlog", ""))


def _every(now: Deciding) -> str:
    if _not_known(now, "innodb_flush_log_at_timeout"):
        return "seconds"
    seconds = now.number("innodb_flush_log_at_timeout")
    return "second" if seconds == 1 else f"{seconds} seconds"


def _source(rests_on: str, flavour: FlavourKey) -> str:
    """A claim as it is; for a setting the address of its manual page."""
    setting = SETTINGS.get(rests_on)
    if setting and flavour in setting.rules:
        return setting.rules[flavour].manual
    return rests_on
