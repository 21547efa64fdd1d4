"""A server's present durability settings, typed and in words (values.toml)."""

from dataclasses import dataclass
from pathlib import Path

from workers.servers.ask import whole
from workers.servers.facts import Facts
from workers.servers.settings import switch
from workers.toml.table import TomlTable

FILE = Path(__file__).with_name("values.toml")
OTHERS = "else"
UNKNOWN = "The manual names no such value."


@dataclass(frozen=True)
class Present:
    """None: this server has no such variable, or its value is not a number."""

    flush_log: int | None
    flush_every_s: int | None
    sync_binlog: int | None
    binlog: bool | None
    binlog_in_engine: bool
    flush_method: str
    doublewrite: str
    two_phase_off: bool  # innodb_support_xa=OFF on old servers
    force_recovery: int
    myrocks_flush_log: int | None
    myrocks_keeps_back: bool  # the log stays in the server's memory until a flush
    tokudb_commit_sync: bool | None
    tokudb_fsync_log_period: int | None


def present(facts: Facts) -> Present:
    return Present(
        flush_log=_number(facts, "innodb_flush_log_at_trx_commit"),
        flush_every_s=_number(facts, "innodb_flush_log_at_timeout"),
        sync_binlog=_number(facts, "sync_binlog"),
        binlog=_switch(facts, "log_bin"),
        binlog_in_engine=_word(facts, "binlog_storage_engine") == "INNODB",
        flush_method=_word(facts, "innodb_flush_method"),
        doublewrite=_word(facts, "innodb_doublewrite"),
        two_phase_off=_switch(facts, "innodb_support_xa") is False,
        force_recovery=_number(facts, "innodb_force_recovery") or 0,
        myrocks_flush_log=_number(facts, "rocksdb_flush_log_at_trx_commit") if facts.has_engine("rocksdb") else None,
        myrocks_keeps_back=_switch(facts, "rocksdb_manual_wal_flush") is not False,
        tokudb_commit_sync=_switch(facts, "tokudb_commit_sync") if facts.has_engine("tokudb") else None,
        tokudb_fsync_log_period=_number(facts, "tokudb_fsync_log_period") if facts.has_engine("tokudb") else None,
    )


def read(path: Path) -> dict[str, dict[str, str]]:
    """variable -> value -> sentence. Raises PlanError naming file, table and key."""
    file = TomlTable.of_file(path)
    variables = {name: file.table(name) for name in file.data}
    return {name: {value: table.text(value) for value in table.data} for name, table in variables.items()}


WORDS = read(FILE)


def settings_in_words(facts: Facts) -> list[tuple[str, str, str]]:
    """(name, value, effect) of every durability setting that this server has."""
    found = ((name, facts.variable(name)) for name in WORDS)
    return [(name, value, in_words(name, value)) for name, value in found if value is not None]


def in_words(name: str, value: str) -> str:
    known, key = WORDS[name], value.strip().upper()
    says = known.get(key) or known.get(switch(key)) or known.get(OTHERS, UNKNOWN)
    return says.format(value=value)


def _number(facts: Facts, name: str) -> int | None:
    return whole((facts.variable(name) or "").strip())


def _switch(facts: Facts, name: str) -> bool | None:
    return {"ON": True, "OFF": False}.get(_word(facts, name))


def _word(facts: Facts, name: str) -> str:
    return switch(facts.variable(name) or "")
