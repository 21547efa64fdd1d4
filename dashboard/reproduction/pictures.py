"""The pictures of docs/reproduction.md: which chart of which recipe's newest result. tests/pictures takes them."""

from collections.abc import Sequence
from dataclasses import dataclass

MATRIX = "crash-matrix"  # a table with colours, not a chart


@dataclass(frozen=True)
class Picture:
    """`name`: of the file, without .png; `claim`: under which it stands; `chart`: a key of charts.registry, or
    MATRIX; `only`: the variants to be seen, all when empty; `log`: with a logarithmic vertical axis."""

    name: str
    claim: str
    recipe: str
    chart: str
    says: str
    only: tuple[str, ...] = ()
    log: bool = False


# With the binlog off as well, twice as many lines would lie over each other: the page has them.
_SERVERS = (
    "MySQL 5.5.9", "MySQL 5.5.34", "MySQL 5.6.14", "MySQL 8.0.33", "MySQL 9.7", "MariaDB 10.1.8", "MariaDB 10.1.23",
    "MariaDB 10.2.11", "MariaDB 10.5", "MariaDB 10.11", "MyRocks 10.11", "MariaDB 11.4.5", "MariaDB 11.8",
)  # fmt: skip

PICTURES: Sequence[Picture] = (
    Picture(
        "fifteen-years",
        "G3",
        "fifteen-years",
        "throughput",
        "Commits per second by threads with the binlog on and every commit flushed, where a flush takes 5 ms.",
        only=tuple(f"{server}, on" for server in _SERVERS),
        log=True,
    ),
    Picture(
        "binlog-breaks-group-commit",
        "G1",
        "binlog-breaks-group-commit",
        "throughput",
        "Commits per second by threads with the binlog off and on, without group commit.",
        log=True,
    ),
    Picture(
        "group-commit-fixed",
        "G4",
        "group-commit-fixed",
        "throughput",
        "Commits per second by threads: binlog off, on before the fix, on after it.",
    ),
    Picture(
        "tokudb-group-commit",
        "G4",
        "tokudb-group-commit",
        "throughput",
        "Commits per second by threads on TokuDB.",
    ),
    Picture("fsync-model", "F1", "fsync-model", "fsync-model", "Time of an fsync by bytes: measured, and N/R + K."),
    Picture(
        "fast-and-slow-fsync",
        "G5",
        "fast-and-slow-fsync",
        "throughput",
        "Commits per second by connections, where a flush takes 0.4 ms and 4.5 ms.",
        log=True,
    ),
    Picture(
        "cost-against-risk",
        "X2",
        "who-agrees-after-a-crash",
        "risk",
        "What each setting costs, and what it loses of the acknowledged in a power loss.",
    ),
    Picture(
        "crash-matrix",
        "X2",
        "who-agrees-after-a-crash",
        MATRIX,
        "Each setting under each kind of crash: trials that failed, and the median loss.",
    ),
)
