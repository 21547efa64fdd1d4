"""The text format of Prometheus, version 0.0.4. Gauges only: these need no library."""

from collections.abc import Iterable, Iterator

from dashboard.pages.monitoring.figures import Metric, Sample

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def text(figures: Iterable[tuple[str, Metric, Iterable[Sample]]]) -> str:
    return "".join(f"{line}\n" for name, figure, samples in figures for line in _lines(name, figure, samples))


def _lines(name: str, figure: Metric, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP {name} {_escaped(figure.says)}"
    yield f"# TYPE {name} gauge"
    for labels, value in samples:
        inner = ",".join(f'{label}="{_quoted(said)}"' for label, said in labels.items())
        yield f"{name}{{{inner}}} {value}" if inner else f"{name} {value}"


def _escaped(said: str) -> str:
    return said.replace("\\", "\\\\").replace("\n", "\\n")


def _quoted(said: str) -> str:
    return _escaped(said).replace('"', '\\"')
