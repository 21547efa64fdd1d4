"""When the settings of a variant flush the logs, in words."""

from collections.abc import Mapping

FLUSH = ("innodb_flush_log_at_trx_commit", "rocksdb_flush_log_at_trx_commit")
SYNC = "sync_binlog"
TIMEOUT = "innodb_flush_log_at_timeout"  # seconds between two flushes of the redo log; 1 unless set
DURABLE = ("1", "1")
_FLUSHED = "flushed at each commit"
_REDO = {"1": _FLUSHED, "2": "written at each commit, flushed {every}", "0": "written and flushed {every}"}


def level(settings: Mapping[str, str]) -> tuple[str, str] | None:
    """(Flush, sync); None: the settings do not say both."""
    flush = next((settings[name] for name in FLUSH if name in settings), None)
    return None if flush is None or SYNC not in settings else (flush, settings[SYNC])


def in_short(settings: Mapping[str, str]) -> str:
    """As 1/1; a question mark for what is not known."""
    return "/".join(settings.get(name) or "?" for name in (FLUSH[0], SYNC))


def is_durable(settings: Mapping[str, str]) -> bool:
    """Whether the settings say that both logs are flushed at every commit."""
    return level(settings) == DURABLE


def gloss(settings: Mapping[str, str]) -> str:
    """When both logs are flushed. Each level has words of its own. "": the settings do not say it."""
    known = level(settings)
    if known is None or known[0] not in _REDO:
        return ""
    if known == DURABLE:
        return f"both logs {_FLUSHED}"
    seconds = settings.get(TIMEOUT, "1")
    redo = _REDO[known[0]].format(every="once a second" if seconds == "1" else f"every {seconds} s")
    log = "redo log" if FLUSH[0] in settings else "write-ahead log"
    return f"{log} {redo}; binary log {_binlog(known[1])}"


def _binlog(sync: str) -> str:
    if sync == "0":
        return "flushed by the operating system"
    return _FLUSHED if sync == "1" else f"flushed every {sync} groups of commits"
