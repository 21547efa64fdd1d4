"""Lines of the log. A person who reads the log may have no right to open share links. So the token of a link is removed
from messages and tracebacks."""

import logging
import re

LINK = re.compile(r"/share/[A-Za-z0-9_-]{20,}")  # no other address under /share/ has such a long part


def without_token(text: str) -> str:
    return LINK.sub("/share/[token]", text)


class LogLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return without_token(super().format(record))
