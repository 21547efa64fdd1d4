"""Lines of the log, plain or as JSON. Each names what it is about: the request, and on a worker the task, experiment,
cell and trial.

A person who reads the log may have no right to open share links, and must learn no password. So the token of a link is
removed from messages and tracebacks, and so are passwords in the spellings of addresses, options and SQL."""

import json
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

from workers.errors import DurascopeError

NAME = "DURASCOPE_LOG"
About = Mapping[str, str | int]
_about: ContextVar[About] = ContextVar("about")

LINK = re.compile(r"/share/[A-Za-z0-9_-]{20,}")  # no other address under /share/ has such a long part
SECRETS = (  # what stands before a secret, and the secret
    re.compile(r"(?i)(\b[a-z][a-z0-9+.-]*://[^\s:/@]*:)[^\s/]+(?=@)"),
    re.compile(
        r"(?i)(\bIDENTIFIED (?:WITH \S+ )?(?:BY|AS)(?: PASSWORD)?\s+)"
        r"""(?:'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"|\S+)"""
    ),
    re.compile(
        r"""(?i)((?:\b|_)(?:password|passwd|passphrase|secret|secret_key|token)["']?\s*[=:]\s*)"""
        r"""(?:b?'(?:[^'\\]|\\.|'')*'|b?"(?:[^"\\]|\\.)*"|[^\s,;&)]+)"""
    ),
)


class BadLog(DurascopeError):
    """DURASCOPE_LOG has a value that it cannot have."""


@contextmanager
def about(**fields: str | int) -> Iterator[None]:
    """Lines that are written within the block, in this thread, are about these too."""
    token = _about.set({**now(), **fields})
    try:
        yield
    finally:
        _about.reset(token)


def now() -> About:
    return _about.get({})


def start_anew(**fields: str | int) -> None:
    """For a thread that takes one request or task after the other."""
    _about.set(fields)


def without_token(text: str) -> str:
    return LINK.sub("/share/[token]", text)


def without_secrets(text: str) -> str:
    text = without_token(text)
    for one in SECRETS:
        text = one.sub(r"\1***", text)
    return text


class LogLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        record.about = "".join(f" {name}={value}" for name, value in now().items())
        return without_secrets(super().format(record))


class JsonLine(logging.Formatter):
    """One JSON object in a line. `time` is UTC."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, str | int] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
            **now(),
        }
        if record.exc_info:
            line["exception"] = without_secrets(self.formatException(record.exc_info))
        if record.stack_info:
            line["stack"] = without_secrets(record.stack_info)
        return json.dumps(line)


FORMATTERS: dict[str, dict[str, str]] = {
    "plain": {
        "()": "dashboard.installation.log_lines.LogLine",
        "format": "%(asctime)s %(levelname)s %(name)s%(about)s: %(message)s",
    },
    "json": {"()": "dashboard.installation.log_lines.JsonLine"},
}


def logging_settings(environment: Mapping[str, str]) -> dict[str, object]:
    """Django's LOGGING. Raises BadLog."""
    chosen = environment.get(NAME) or "plain"
    if chosen not in FORMATTERS:
        raise BadLog(f"{NAME} is {chosen!r}.", f"Write {' or '.join(FORMATTERS)}, or leave it out.")
    # Not "uvicorn": that would turn on its access log, which has the tokens of share links.
    loggers = {"uvicorn.error": {"handlers": ["console"], "propagate": False}} if chosen == "json" else {}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": FORMATTERS[chosen]},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "loggers": loggers,
        "root": {"handlers": ["console"], "level": "INFO"},
    }
