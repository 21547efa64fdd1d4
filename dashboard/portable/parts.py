"""The names of the parts of a file, in order, and the reading and writing of tables."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence

from dashboard.portable.refused import NotImported

INDEX = "experiment.json"
TABLES = ("cells.csv", "runs.csv", "trials.csv")  # for spreadsheets: everything in them is also elsewhere
OF_A_RUN = ("runs/{:05}.json", "series/{:05}.csv", "output/{:05}.txt", "options/{:05}.cnf", "histograms/{:05}.csv")
RUN, SERIES, OUTPUT, OPTIONS, HISTOGRAM = OF_A_RUN
TRIAL, ENVIRONMENT, PROBE = "trials/{:05}.json", "environments/{:05}.json", "probes/{:05}.json"
PAST_THE_END = "-"  # in a shorter column; an empty field is an unknown value
MOST_FIELDS = 6_000_000  # in a table: a day of seconds has 5 million
_NUMBER = re.compile(r"-?[0-9]{1,18}(?P<real>(?:\.[0-9]{1,20})?(?:e[+-]?[0-9]{1,3})?)")

Columns = Mapping[str, Sequence[float | None]]


def as_csv(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    text = io.StringIO(newline="")
    written = csv.writer(text, lineterminator="\n")
    written.writerow(titles)
    written.writerows(rows)
    return text.getvalue().encode()


def series_csv(columns: Columns) -> bytes:
    """The time is first. The other columns are sorted, because some databases reorder them."""
    titles = sorted(columns, key=lambda name: (name != "t_s", name))
    longest = max((len(column) for column in columns.values()), default=0)
    return as_csv(titles, ([_field(columns[title], n) for title in titles] for n in range(longest)))


def _field(column: Sequence[float | None], n: int) -> str:
    if n >= len(column):
        return PAST_THE_END
    value = column[n]
    return "" if value is None else repr(value)


def read_series(content: bytes, part: str) -> dict[str, list[float | None]]:
    titles, *rows = _rows(content, part)
    columns: dict[str, list[float | None]] = {title: [] for title in titles}
    if len(columns) < len(titles):
        raise NotImported(f"{part}: two columns have the same name")
    for n, row in enumerate(rows):
        for title, field in zip(titles, row, strict=True):
            if field != PAST_THE_END:
                if len(columns[title]) < n:
                    raise NotImported(f"{part}, line {n + 2}: {title} goes on after its end")
                columns[title].append(number(field, f"{part}, line {n + 2}") if field else None)
    return columns


def histogram_csv(buckets: Iterable[Sequence[float]]) -> bytes:
    return as_csv(("upper_ms", "transactions"), ([repr(value) for value in bucket] for bucket in buckets))


def read_histogram(content: bytes, part: str) -> list[list[float]]:
    titles, *rows = _rows(content, part)
    if titles != ["upper_ms", "transactions"]:
        raise NotImported(f"{part}: its columns are not upper_ms and transactions")
    return [[number(field, f"{part}, line {n}") for field in row] for n, row in enumerate(rows, start=2)]


def _rows(content: bytes, part: str) -> list[list[str]]:
    """At least the titles; every line has the same number of fields."""
    if content.count(b",") + content.count(b"\n") > MOST_FIELDS:
        raise NotImported(f"{part} holds more than {MOST_FIELDS:,} fields")
    try:
        rows = list(csv.reader(io.StringIO(content.decode(), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as broken:
        raise NotImported(f"{part} is no table") from broken
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        raise NotImported(f"{part}: its lines are not equally long")
    return rows


def number(field: str, where: str) -> float:
    """As Python writes it: 5 stays a whole number, 5.0 stays a real one."""
    found = _NUMBER.fullmatch(field)
    if not found:
        raise NotImported(f"{where}: {field[:40]!r} is no number")
    value = float(field) if found["real"] else int(field)
    if abs(value) > 1e18:
        raise NotImported(f"{where}: {field[:40]} is too large")
    return value
