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
from workers.errors import DurascopeError, LoadBrokeOff, LoadError, PlanError
from workers.servers import driver_errors
from workers.servers.driver_errors import read

KNOWN = read(Path(__file__).with_suffix(".toml"))
DISK_FULL = KNOWN[1021]
AGAIN = "Resume the experiment, which measures the missing cells. If it happens again, see the server's error log."

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
        return PlanError(
            f"sysbench does not accept an argument of this plan: {wrong[0][:200]}.",
            "Correct the workload's parameters; if they are right, the installed sysbench is not 1.0.20 or later.",
        )
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


def _unnumbered(text: str, returncode: int) -> LoadError:
    fatal = next((line for line in reversed(text.splitlines()) if line.startswith("FATAL")), "")
    if returncode < 0 or returncode > 128:  # a shell reports signal N as 128 + N
        return _signalled(-returncode if returncode < 0 else returncode - 128, _last_words(text))
    if fatal:
        return LoadError(f"sysbench stopped with an error: {fatal[:200]}.", AGAIN)
    return LoadError(f"sysbench ended with status {returncode} and without a result{_last_words(text)}.", AGAIN)


def _signalled(number: int, said: str) -> LoadError:
    if number == signal.SIGSEGV:
        return LoadError(
            "sysbench crashed (segmentation fault), as it does when the server ends during a load.",
            "See whether the server is still running and read its error log; then run the cell again.",
        )
    if number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        return LoadError(
            f"Another process killed sysbench by signal {number}.",
            "The kernel sends signal 9 when memory is short: see dmesg, and measure fewer threads.",
        )
    return LoadBrokeOff(f"sysbench aborted with signal {number}{said}.", AGAIN)


def _last_words(text: str) -> str:
    """The last printed line that is no report."""
    lines = [line.strip() for line in text.splitlines()]
    last = next((line for line in reversed(lines) if line and not line.startswith("{")), "")
    return f"; its last line: {last[:200].rstrip('.')}" if last else ""


def bogus(total: Total) -> LoadError | None:
    """Why a run that ended well is no measurement; None when it is one.

    sysbench counts a statement that changes no row as *other*: such a run is fast and means nothing.
    """
    if total.transactions == 0:
        return LoadError(
            "No transaction ended while sysbench ran: nothing was measured.",
            "See whether the server hangs (SHOW PROCESSLIST), or measure longer than one transaction takes.",
        )
    if total.writes < total.transactions / 100:
        return LoadError(
            f"{total.transactions:,} transactions had {total.writes:,} statements that changed rows: "
            "the table is empty, or another client changed it.",
            "Start the experiment again, which loads the table.",
        )
    if total.errors > total.transactions:
        return LoadError(
            f"{total.errors:,} deadlocks and lock waits for {total.transactions:,} transactions: "
            "this measures conflicts, not commits.",
            "Raise the table rows or lower the threads.",
        )
    return None
