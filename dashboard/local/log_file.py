"""Log lines of a command in a file: its terminal shows the progress and the result."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dashboard.local.processes import open_log


@contextmanager
def log_lines_to(path: Path) -> Iterator[None]:
    handlers = (one for one in logging.getLogger().handlers if isinstance(one, logging.StreamHandler))
    console = next(one for one in handlers if one.name == "console")  # of LOGGING in the settings
    with io.TextIOWrapper(open_log(path), line_buffering=True) as file:
        terminal = console.setStream(file)
        try:
            yield
        finally:
            console.setStream(terminal)
