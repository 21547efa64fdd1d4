"""The figures of the history. A new figure is a column of `Entry` and one line here."""

from dataclasses import dataclass

from dashboard.records.history.models import Track


@dataclass(frozen=True)
class HistoryFigure:
    """`column`: of Entry; `form`: a key of dashboard.text.numbers.FORMATS; `source`: "" if each entry names its own;
    `counted`: the name begins with the unit of throughput, for example commits."""

    title: str
    column: str
    kind: str
    name: str
    unit: str
    form: str
    source: str
    counted: bool = False


LOSSES = "list of acknowledged commits. Mean of the trials; result pages show the median"
FIGURES: dict[str, HistoryFigure] = {
    "throughput": HistoryFigure(
        "Throughput", "tps", Track.Kind.LOAD, "per second", "/s", "number", "sysbench: mean of all repeats", True
    ),
    "p99": HistoryFigure(
        "Latency p99", "p99_ms", Track.Kind.LOAD, "p99 latency", "ms", "ms", "sysbench histogram: all repeats together"
    ),
    "fsyncs": HistoryFigure(
        "Fsyncs per commit", "fsyncs", Track.Kind.LOAD, "fsyncs per commit", "", "number", ""
    ),
    "lost-engine": HistoryFigure(
        "Lost from InnoDB or another engine", "lost_engine", Track.Kind.CRASH,
        "acknowledged commits lost per trial", "", "number", LOSSES,
    ),
    "lost-binlog": HistoryFigure(
        "Lost from the binary log", "lost_binlog", Track.Kind.CRASH,
        "acknowledged commits lost per trial", "", "number", LOSSES,
    ),
    "lost-failover": HistoryFigure(
        "Commits missing", "lost_engine", Track.Kind.FAILOVER,
        "acknowledged commits missing per trial", "", "number", LOSSES,
    ),
    "outage": HistoryFigure(
        "Write outage", "outage_ms", Track.Kind.FAILOVER,
        "writes refused", "ms", "ms", "mean of the trials, as the clients of the old and the new primary saw it",
    ),
}  # fmt: skip


def of_kind(kind: str) -> dict[str, HistoryFigure]:
    return {key: figure for key, figure in FIGURES.items() if figure.kind == kind}
