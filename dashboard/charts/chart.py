"""A chart as data: the payload of docs/contributing/charts.md, and the table as its text alternative."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from dashboard.findings.lines import VariantLine
from dashboard.findings.looks import COLOURS
from dashboard.findings.point import Point
from workers.analysis.not_computable import NotComputable
from workers.toml.table import TomlTable

Kind = Literal["scaling", "bars", "stacked", "time", "histogram", "ratio", "risk", "model", "residuals", "nights"]
LINES: frozenset[Kind] = frozenset(("scaling", "time", "histogram", "ratio", "model", "residuals", "nights"))
PANELS = 5  # with more small charts the picture is higher
NOT_AVAILABLE = "not available here"
NOTHING_MEASURED = "Nothing has been measured yet."
Cell = str | float | int | None
Row = tuple[Cell, ...]


@dataclass(frozen=True)
class Axis:
    label: str
    unit: str = ""
    scale: Literal["log2", "log", "linear", "category", "date"] = "linear"
    categories: tuple[str, ...] = ()
    can_toggle_log: bool = False

    def payload(self) -> dict[str, object]:
        answer: dict[str, object] = {"label": self.label, "unit": self.unit, "scale": self.scale}
        if self.categories:
            answer["categories"] = list(self.categories)
        return answer | ({"can_toggle_log": True} if self.can_toggle_log else {})


@dataclass(frozen=True)
class Dot:
    """One point. `lo` and `hi` are None where no interval is known."""

    x: float | str
    y: float | None
    lo: float | None = None
    hi: float | None = None
    mark: str = ""

    def payload(self) -> dict[str, object]:
        known = {name: _short(value) for name, value in (("lo", self.lo), ("hi", self.hi)) if value is not None}
        mark = {"mark": self.mark} if self.mark else {}
        return {"x": self.x, "y": _short(self.y), **known, **mark}


@dataclass(frozen=True)
class ChartSeries:
    """`dash`: number of the style; 0 is a plain line. `ceiling`: a bound; `fit`: a model's curve. Neither is measured.
    `panel`: the small chart of the series, "" if one chart holds all series."""

    name: str
    colour: int
    dots: tuple[Dot, ...]
    dash: int = 0
    stack: str = ""
    ceiling: bool = False
    fit: bool = False
    panel: str = ""

    def payload(self) -> dict[str, object]:
        dots = [dot.payload() for dot in self.dots]
        unmeasured = {name: True for name in ("ceiling", "fit") if getattr(self, name)}
        known = {"name": self.name, "colour": self.colour, "dash": int(self.dash), "stack": self.stack}
        panel = {"panel": self.panel} if self.panel else {}
        return {**known, **unmeasured, **panel, "points": dots}


@dataclass(frozen=True)
class Mark:
    """A place on the x axis at which the series `of` changed; `label` is its number on the page."""

    x: float
    label: str
    of: tuple[int, ...]
    sure: bool


@dataclass(frozen=True)
class ChartTable:
    """`columns`: (title, key of dashboard.text.numbers.FORMATS); rows have raw values, None: not known."""

    columns: tuple[tuple[str, str], ...]
    rows: tuple[Row, ...] = ()

    @property
    def raw_titles(self) -> list[str]:
        """Titles for raw values: pages show latencies with their unit, files do not."""
        return [f"{title} (ms)" if kind == "ms" else title for title, kind in self.columns]

    def cleaned(self, clean: Callable[[str], str]) -> "ChartTable":
        rows = (tuple(clean(value) if isinstance(value, str) else value for value in row) for row in self.rows)
        return replace(self, rows=tuple(rows))


@dataclass(frozen=True)
class Chart:
    """`empty`: why there is nothing to draw; `source`: the source of the figures; `note`: how to read it."""

    key: str
    title: str
    kind: Kind
    x: Axis
    y: Axis
    table: ChartTable
    series: tuple[ChartSeries, ...] = ()
    empty: str = ""
    source: str = ""
    note: str = ""
    marks: tuple[Mark, ...] = ()
    own_scales: bool = False  # its panels have different units

    def cleaned(self, clean: Callable[[str], str]) -> "Chart":
        """The same chart with every text cleaned, for a reader who may not see all."""
        x = replace(self.x, categories=tuple(map(clean, self.x.categories)))
        y = replace(self.y, label=clean(self.y.label))
        series = tuple(
            replace(one, name=clean(one.name), stack=clean(one.stack), panel=clean(one.panel)) for one in self.series
        )
        return replace(
            self, title=clean(self.title), empty=clean(self.empty), source=clean(self.source), note=clean(self.note),
            x=x, y=y, series=series, table=self.table.cleaned(clean),
        )  # fmt: skip

    @property
    def is_crowded(self) -> bool:
        """The same rule as in static/js/charts/crowd.js, so that the page reserves the room before scripts run. An
        outline has no series yet; the lines of its table count."""
        if panels := {one.panel for one in self.series if one.panel}:
            return len(panels) > PANELS
        measured = sum(not (one.ceiling or one.fit) for one in self.series)
        return self.kind in LINES and (measured or len({row[0] for row in self.table.rows})) > COLOURS

    def payload(self) -> dict[str, object]:
        answer: dict[str, object] = {
            "key": self.key,
            "title": self.title,
            "kind": self.kind,
            "x": self.x.payload(),
            "y": self.y.payload(),
            "series": [one.payload() for one in self.series],
            "empty": self.empty,
        }
        if self.own_scales:
            answer["own_scales"] = True
        return answer | ({"marks": [asdict(one) for one in self.marks]} if self.marks else {})


@dataclass(frozen=True)
class ChartWords:
    """A table of charts.toml."""

    title: str
    kind: Kind
    x: Axis
    y: Axis
    columns: tuple[tuple[str, str], ...]
    empty: str = NOTHING_MEASURED
    source: str = ""
    note: str = ""


def _words(table: TomlTable) -> ChartWords:
    columns = table.table("columns")
    formats = tuple((title, columns.text(title)) for title in columns.data)
    return table.read(ChartWords, x=table.table("x").read(Axis), y=table.table("y").read(Axis), columns=formats)


_FILE = TomlTable.of_file(Path(__file__).with_name("charts.toml"))
CHART_WORDS = {name: _words(_FILE.table(name)) for name in _FILE.data}


def described(
    name: str,
    rows: Iterable[Row],
    series: Iterable[ChartSeries],
    *,
    key: str = "",
    empty: str | None = None,
    source: str | None = None,
    categories: Iterable[str] = (),
    **words: str,
) -> Chart:
    """The chart of that name in charts.toml. Without series it has no source and says why it is empty; the caller may
    know the source or the reason better."""
    said, drawn = CHART_WORDS[name], tuple(series)
    words |= {"not_available": NOT_AVAILABLE}
    return Chart(
        key=key or name,
        title=said.title.format(**words),
        kind=said.kind,
        x=replace(said.x, label=said.x.label.format(**words), categories=tuple(categories)),
        y=replace(said.y, label=said.y.label.format(**words)),
        table=ChartTable(tuple((title.format(**words), form) for title, form in said.columns), tuple(rows)),
        series=drawn,
        empty=("" if drawn else said.empty.format(**words)) if empty is None else empty,
        source=(said.source if drawn else "") if source is None else source,
        note=said.note.format(**words),
    )


def sources(used: Sequence[str]) -> str:
    """Each source once, in order."""
    return ", ".join(dict.fromkeys(source for source in used if source))


def reasons(models: Iterable[object]) -> str:
    """Why models could not be computed, without duplicates."""
    why = dict.fromkeys(one.why for one in models if isinstance(one, NotComputable))
    return " ".join(why) or "nothing has been measured yet."


def throughput_of(line: VariantLine, dash: int = 0) -> ChartSeries:
    """With 95 % intervals."""
    dots = tuple(Dot(point.threads, point.tps, point.lo, point.hi) for point in line.points)
    return ChartSeries(line.name, line.colour, dots, dash)


def by_threads(line: VariantLine, value: Callable[[Point], float | None]) -> ChartSeries:
    known = ((point.threads, value(point)) for point in line.points)
    return ChartSeries(line.name, line.colour, tuple(Dot(x, y) for x, y in known if y is not None), line.dash)


def _short(value: float | None) -> float | None:
    """Six significant digits are more than any picture shows, and halve the page."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.6g}")
