"""Lines of the log. Who may read them may not open share links, so a link's token, which is all that it takes, is left
out, in messages and tracebacks alike."""

import logging
import re

LINK = re.compile(r"/share/[A-Za-z0-9_-]{20,}")  # no other address below /share/ has so long a part


def without_token(text: str) -> str:
    return LINK.sub("/share/[token]", text)


class LogLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        return without_token(super().format(record))
