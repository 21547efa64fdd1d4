"""The page of one measurement: command, settings, output, figures with their sources, seconds."""

from collections.abc import Callable

from dashboard.charts.chart import CHART_WORDS, Chart, ChartTable
from dashboard.charts.fsyncs import latency_row
from dashboard.charts.host import REMOVED, host, not_watched
from dashboard.charts.seconds import seconds
from dashboard.findings import per_commit, together
from dashboard.findings.counted import counted
from dashboard.findings.lines import look_of
from dashboard.findings.point import Figures, Latencies, RunFigure, RunFigures
from dashboard.findings.probed import probed_devices
from dashboard.installation.stored import read
from dashboard.pages.results import exact_command
from dashboard.pages.results.picture import Picture
from dashboard.pages.results.reader import Reader
from dashboard.records.experiments.environment import facts
from dashboard.records.experiments.models import Run
from dashboard.text import numbers
from workers.metrics.source import FIGURES
from workers.servers.printable import storable


def _seconds(run: Run, reader: Reader) -> Chart:
    columns = run.series.columns if hasattr(run, "series") else {}
    look = look_of(run.cell.experiment.as_plan(), run.cell.variant, run.cell.server_id)
    warm_up = run.cell.experiment.as_plan().warmup_s
    return seconds(columns, reader.text(run.cell.variant), look.colour, _counted(run), warm_up)


def _counted(run: Run) -> str:
    return counted(run.cell.experiment.as_plan(), run.cell.workload)


def _host(run: Run, reader: Reader) -> Chart:
    figures = read(Figures, run.figures)
    why = [not_watched(reader.text(one.note)) for one in figures if one.source == "host" and one.value is None]
    removed = [REMOVED for one in figures if one.source.startswith("host:")]
    columns = run.series.columns if hasattr(run, "series") else {}
    return host(columns, _counted(run), next(iter((*why, *removed)), not_watched()))


CHARTS: dict[str, Callable[[Run, Reader], Chart]] = {"seconds": _seconds, "host": _host}


def context(run: Run, reader: Reader) -> dict[str, object]:
    evidence = getattr(run, "evidence", None)
    cell, environment = run.cell, run.environment.known
    return {
        "run": run,
        "cell": cell,
        "shared": reader.is_guest,
        "addresses": reader.addresses,
        "name": reader.text(cell.experiment.name),
        "variant": reader.text(cell.variant),
        "workload": reader.text(cell.workload),
        "server": reader.names[cell.server_id],
        "counted": _counted(run).capitalize(),
        "together": together.of_run(run, shared=reader.is_guest),
        "pictures": [_picture(key, run, reader) for key in CHARTS],
        "latency_ms": [(name, run.latency_ms[name]) for name in _order(run.latency_ms)],
        "figures": [
            _figure(one, one.value, reader) for one in _by_name(read(Figures, run.figures)) if one.value is not None
        ],
        "missing": [reader.text(reason) for reason in per_commit.missing(_as_counted(run))],
        "per_commit": _per_commit(run),
        "fsync_latency": _fsync_latency(run, reader),
        "command": reader.text(exact_command.command(evidence.command)) if evidence else "",
        "command_needs": [*exact_command.needs(evidence.command)] if evidence else [],
        "effective": reader.variables(storable(run.effective)),
        "my_cnf": reader.server_text(evidence.my_cnf, is_sandbox=cell.server.is_sandbox) if evidence else "",
        "output": reader.text(evidence.output) if evidence else "",
        "facts": {name: reader.text(fact) for name, fact in facts(environment).items()},
        "variables": sorted(reader.variables(environment.variables).items()),
        "probes": list(probed_devices([(0, reader.data(run.probe.data))])) if run.probe else [None],
    }


def _picture(key: str, run: Run, reader: Reader) -> Picture:
    chart = CHARTS[key](run, reader)
    return Picture(chart, *(reader.addresses.cell_chart(run.cell_id, chart.key, form) for form in ("csv", "json")))


def _order(latency_ms: dict[str, float]) -> list[str]:
    known = [name for name in ("avg", "p50", "p95", "p99", "p99.9", "max") if name in latency_ms]
    return known + [name for name in latency_ms if name not in known]


def _by_name(found: Figures) -> Figures:
    """What two sources counted stands together, in the order of the first."""
    names = list(dict.fromkeys(one.name for one in found))
    return tuple(sorted(found, key=lambda one: names.index(one.name)))


def figure_title(name: str) -> str:
    """The unit stands beside the value."""
    bare = name.removesuffix("_s").removesuffix("_ms")
    return bare.replace("_", " ").replace("binlog", "binary log").replace("cpu", "CPU")


def _figure(one: RunFigure, value: float, reader: Reader) -> dict[str, str]:
    unit = FIGURES.get(one.name, "")
    shown = numbers.size(value) if unit == "bytes" else numbers.unit(value, unit)
    return {"title": figure_title(one.name), "shown": shown, "source": one.source, "note": reader.text(one.note)}


def _as_counted(run: Run) -> per_commit.Runs:
    return [RunFigures(run.transactions, _counted(run), read(Figures, run.figures))]


def _per_commit(run: Run) -> list[tuple[str, float, str]]:
    runs = _as_counted(run)
    files = per_commit.fsyncs_per_commit(runs).items()
    found = [(f"{per_commit.FILES.get(name, name)} fsyncs per commit", one.value, one.source) for name, one in files]
    group = per_commit.commits_per_group(runs)
    return found + ([("commits per group", group.value, group.source)] if group else [])


def _fsync_latency(run: Run, reader: Reader) -> ChartTable:
    variant = reader.text(run.cell.variant)
    rows = [latency_row(variant, one.files, one) for one in read(Latencies, run.latencies) if one.calls]
    return ChartTable(CHART_WORDS["fsync-latency"].columns, tuple(rows))
