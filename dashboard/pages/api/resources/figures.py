"""What pages draw, as values: charts and the crash matrix of a result, and the history of a server."""

from collections.abc import Sequence
from math import isfinite
from typing import Annotated, Literal, TypeAlias

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Query, Schema
from ninja.pagination import RouterPaginated
from pydantic import AfterValidator

from dashboard.charts import nights
from dashboard.charts.chart import Cell, Chart, Kind, Mark
from dashboard.charts.registry import CHARTS, draw
from dashboard.findings.crash.statistics import LOST_FROM
from dashboard.findings.nights import DIGEST, NIGHTS, Condition, HistoryView
from dashboard.findings.nights import shown as shown_nights
from dashboard.findings.shown import ResultView, shown
from dashboard.pages.api.door import Token
from dashboard.pages.api.fields import Id, with_values
from dashboard.pages.api.problems import Conflict
from dashboard.pages.history.page import finding
from dashboard.pages.results.addresses import Addresses
from dashboard.pages.results.crash.matrix import MatrixCell, MatrixRow, matrix
from dashboard.records.experiments.models import Experiment
from dashboard.records.history.figures import FIGURES
from dashboard.records.servers.models import Server

router = RouterPaginated()
MOST_POINTS = 50_000
ChartKey: TypeAlias = Literal[tuple(CHARTS)]  # type: ignore[valid-type]
FigureKey: TypeAlias = Literal[tuple(FIGURES)]  # type: ignore[valid-type]
LostFrom: TypeAlias = Literal[tuple(LOST_FROM)]  # type: ignore[valid-type]
Place = Annotated[int | None, Field(ge=0, le=10**6)]
Digest = Annotated[str, Field(pattern=f"^({DIGEST.pattern})?$")]
Value: TypeAlias = str | float | int | None


def _offered(nights: int) -> int:
    if nights not in NIGHTS:
        raise ValueError(f"Known: {', '.join(map(str, sorted(NIGHTS)))}")
    return nights


class ChartChoice(Schema):
    """Places in the lists of the plan, from 0. What the plan does not have is left out, as on the page."""

    workload: Place = None
    baseline: Place = None
    server: Place = None
    threads: Place = None
    crash: str = Field("", max_length=80, description="A kind of crash.")
    lost: LostFrom | None = None
    mine: Place = None


class NightsChoice(Schema):
    """`load`, `crash`, `failover`: keys of conditions; the one that was measured last if left out."""

    load: Digest = ""
    crash: Digest = ""
    failover: Digest = ""
    nights: Annotated[int, AfterValidator(_offered), Field(examples=[*NIGHTS])] = NIGHTS[0]


class AxisOut(Schema):
    label: str
    unit: str
    scale: str
    categories: list[str]


class DotOut(Schema):
    """null: not known, or not in this kind of chart."""

    x: Value
    y: float | None
    lo: float | None = None
    hi: float | None = None
    x_lo: float | None = None
    x_hi: float | None = None
    mark: str = ""


class SeriesOut(Schema):
    """`ceiling`: a bound; `fit`: a model's curve. Neither is measured. `replica`, `mine`, `nodes`: only in the chart of
    speed against risk."""

    name: str
    colour: int
    dash: int
    stack: str
    ceiling: bool = False
    fit: bool = False
    panel: str = ""
    replica: str = ""
    mine: bool = False
    nodes: str = ""
    points: list[DotOut]


@with_values(Mark, "x label sure")
class MarkOut(Schema):
    """A place on the x axis at which the series `of` changed."""

    of: list[int]


class ChartOut(Schema):
    """A chart as its page gets it (docs/contributing/charts.md). `columns`: of its rows."""

    key: str
    title: str
    kind: Kind
    x: AxisOut
    y: AxisOut
    series: list[SeriesOut]
    marks: list[MarkOut]
    own_scales: bool = Field(False, description="The panels have different units, and a scale each.")
    empty: str = Field(description="Why there is nothing to draw.")
    source: str
    note: str
    columns: list[str]


class LossOut(Schema):
    commits: str
    time: str


@with_values(MatrixCell, "kind look counts unit share unknown open replica url")
class MatrixCellOut(Schema):
    """`counts`: failed of tried `unit`. `share`: what the trials say of all such crashes. `look`: held, scarce, other,
    few, many, unknown or untried. `url`: the page of its trials."""

    losses: list[LossOut]
    failover: list[str]

    @staticmethod
    def resolve_losses(cell: MatrixCell) -> list[dict[str, str]]:
        return [{"commits": commits, "time": time} for commits, time in cell.losses]


@with_values(MatrixRow, "name mine")
class MatrixRowOut(Schema):
    """A setting; `mine`: the present one of its server."""

    cells: list[MatrixCellOut]


@with_values(Condition, "key says")
class ConditionOut(Schema):
    """Experiments under the same condition are comparable. `chosen`: charts show it unless another is asked for."""

    kind: str
    chosen: bool


class HistoryOut(Schema):
    finding: str
    conditions: list[ConditionOut]


@router.get("/experiments/{int:experiment_id}/charts/{key}", auth=Token("see"), response=ChartOut)
def show_chart(request: HttpRequest, experiment_id: Id, key: ChartKey, choice: Query[ChartChoice]) -> dict[str, object]:
    """A chart of a result. With more than 50,000 points: 409, read its rows."""
    return _told(draw(key, _view(experiment_id, choice)))


@router.get("/experiments/{int:experiment_id}/charts/{key}/rows", auth=Token("see"), response=list[list[Value]])
def list_chart_rows(
    request: HttpRequest, experiment_id: Id, key: ChartKey, choice: Query[ChartChoice]
) -> list[list[Cell]]:
    """The table behind a chart of a result. The chart names the columns."""
    return _rows(draw(key, _view(experiment_id, choice)))


@router.get("/experiments/{int:experiment_id}/matrix", auth=Token("see"), response=list[MatrixRowOut])
def list_matrix(request: HttpRequest, experiment_id: Id, choice: Query[ChartChoice]) -> Sequence[MatrixRow]:
    """The crash matrix: settings with a cell for each kind of crash. Empty without crash trials."""
    view = _view(experiment_id, choice)
    return matrix(view, Addresses(experiment_id)) if view.trials else []


@router.get("/servers/{int:server_id}/history", auth=Token("see"), response=HistoryOut)
def show_history(request: HttpRequest, server_id: Id) -> dict[str, object]:
    """What changed last, and the conditions under which a server was measured."""
    view = _history(server_id, NightsChoice())
    conditions = [
        {"kind": kind, "key": one.key, "says": one.says, "chosen": one.key == chosen}
        for kind, chosen in view.chosen.items()
        for one in view.conditions(kind)
    ]
    return {"finding": finding(view), "conditions": conditions}


@router.get("/servers/{int:server_id}/history/{key}", auth=Token("see"), response=ChartOut)
def show_history_chart(
    request: HttpRequest, server_id: Id, key: FigureKey, choice: Query[NightsChoice]
) -> dict[str, object]:
    """A figure of a server over its experiments. With more than 50,000 points: 409, read its rows."""
    return _told(nights.chart(key, _history(server_id, choice)))


@router.get("/servers/{int:server_id}/history/{key}/rows", auth=Token("see"), response=list[list[Value]])
def list_history_rows(
    request: HttpRequest, server_id: Id, key: FigureKey, choice: Query[NightsChoice]
) -> list[list[Cell]]:
    """The table behind a figure of a server. The chart names the columns."""
    return _rows(nights.chart(key, _history(server_id, choice)))


def _view(experiment_id: int, choice: ChartChoice) -> ResultView:
    asked = {name: str(value) for name, value in choice.dict(exclude_none=True).items()}
    return shown(get_object_or_404(Experiment, pk=experiment_id), asked)


def _history(server_id: int, choice: NightsChoice) -> HistoryView:
    return shown_nights(
        get_object_or_404(Server, pk=server_id), {name: str(one) for name, one in choice.dict().items()}
    )


def _told(chart: Chart) -> dict[str, object]:
    """Raises Conflict."""
    points = sum(len(one.dots) for one in chart.series)
    if points > MOST_POINTS:
        raise Conflict(
            f"The chart has {points:,} points, at most {MOST_POINTS:,} are answered. Read its rows in parts."
        )
    axes = {name: {"categories": [], **axis.payload()} for name, axis in (("x", chart.x), ("y", chart.y))}
    more = {"source": chart.source, "note": chart.note, "columns": chart.table.raw_titles}
    return {"marks": [], **chart.payload(), **axes, **more}


def _rows(chart: Chart) -> list[list[Cell]]:
    """JSON has no infinite numbers."""
    return [[None if isinstance(one, float) and not isfinite(one) else one for one in row] for row in chart.table.rows]
