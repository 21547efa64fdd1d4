"""Why sysbench failed, from its output and exit status; and runs that end well but measured nothing.

sysbench prints FATAL lines with the error number of the server or the client library. Threads fail in any order; the
first number is the cause of the others.
"""

import re
import signal
from collections.abc import Callable
from pathlib import Path

from pymysql.err import OperationalError

from workers.bench.load import LoadRequest
from workers.bench.output import Total
from workers.errors import DurascopeError
from workers.servers import driver_errors
from workers.servers.driver_errors import named, read

FILE = Path(__file__).with_suffix(".toml")
KNOWN, NAMED = read(FILE), named(FILE)
DISK_FULL = KNOWN[1021]
ENDED_BY_OTHERS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

_NUMBERED = (
    re.compile(r"^FATAL: error (\d{4}): (.*)"),
    re.compile(r'^FATAL: MySQL error: (\d{4}) "(.*)"'),
    re.compile(r"^FATAL: .{0,80}?SQL error, errno = (\d{4}), state = '.{5}': (.*)"),
    re.compile(r"^FATAL: mysql_\w+\(\) returned error (\d{4}) \((.*?)\)(?: for query|$)"),
)
_NO_SPACE = re.compile(r"No space left on device|(?:errno:?|error) \"?28\b")
_ACCOUNT = re.compile(r"user ('[^']*'@'[^']*')")
_WRONG_OPTION = re.compile(r"^(?:FATAL: )?(invalid option: |Invalid value for |Unknown option).*", re.MULTILINE)


def explain(text: str, returncode: int, request: LoadRequest) -> DurascopeError:
    """The error for a sysbench that failed, or ended without a result."""
    for line in text.splitlines():
        for pattern in _NUMBERED:
            if found := pattern.match(line):
                return _numbered(int(found[1]), found[2].rstrip("."), request)
    if wrong := _WRONG_OPTION.search(text):
        return NAMED["not-accepted"].filled(said=wrong[0][:200])
    return _unnumbered(text, returncode)


def _numbered(number: int, detail: str, request: LoadRequest) -> DurascopeError:
    known = DISK_FULL if _NO_SPACE.search(detail) else KNOWN.get(number)
    where = request.target.where
    if known is None:
        return driver_errors.explain(OperationalError(number, detail), where, _account(detail))
    return known.filled(
        where=where,
        schema=request.schema,
        threads=request.threads,
        engine=request.engine,
        detail=detail,
        room=request.threads + 50,
    )


def _account(detail: str) -> Callable[[], str]:
    found = _ACCOUNT.search(detail)
    return lambda: found[1] if found else "''@''"


def _unnumbered(text: str, returncode: int) -> DurascopeError:
    fatal = next((line for line in reversed(text.splitlines()) if line.startswith("FATAL")), "")
    number = -returncode if returncode < 0 else returncode - 128  # a shell reports signal N as 128 + N
    if number == signal.SIGSEGV:
        name = "crashed"
    elif number > 0:
        name = "killed" if number in ENDED_BY_OTHERS else "aborted"
    else:
        name = "stopped" if fatal else "no-result"
    return NAMED[name].filled(said=fatal[:200], number=number, status=returncode, last=_last_words(text))


def _last_words(text: str) -> str:
    """The last printed line that is no report."""
    lines = [line.strip() for line in text.splitlines()]
    last = next((line for line in reversed(lines) if line and not line.startswith("{")), "")
    return f"; its last line: {last[:200].rstrip('.')}" if last else ""


def bogus(total: Total) -> DurascopeError | None:
    """Why a run that ended well is no measurement; None when it is one.

    sysbench counts a statement that changes no row as *other*: such a run is fast and means nothing.
    """
    if total.transactions == 0:
        name = "no-transaction"
    elif total.writes < total.transactions / 100:
        name = "no-change"
    elif total.errors > total.transactions:
        name = "conflicts"
    else:
        return None
    return NAMED[name].filled(**vars(total))
