from collections.abc import Iterable, Iterator

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse

from dashboard.pages.accounts.gate import needs
from dashboard.pages.api import problems
from dashboard.pages.api.door import NoToken, TooMany, bearer
from dashboard.pages.monitoring import figures, health
from dashboard.pages.monitoring.figures import Metric, Sample
from dashboard.records.accounts.roles import NotAllowed, require

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@needs("enter", "GET")
def is_ready(request: HttpRequest) -> JsonResponse:
    """200 if all checks pass, else 503."""
    return _told(list(health.CHECKS))


@needs("enter", "GET")
def is_alive(request: HttpRequest) -> JsonResponse:
    """200 while this process answers. No check runs."""
    return _told([])


@needs("enter", "GET")
def has(request: HttpRequest, check: str) -> JsonResponse:
    """One check alone: a web server, for example, needs no worker."""
    if check not in health.CHECKS:
        raise Http404(f"No such check. Choose one of {', '.join(health.CHECKS)}.")
    return _told([check])


def _told(names: list[str]) -> JsonResponse:
    checks = {name: health.says(name) for name in names}
    well = all(said == health.OK for said in checks.values())
    response = JsonResponse({"status": "ok" if well else "unavailable", "checks": checks}, status=200 if well else 503)
    response["Cache-Control"] = "no-store"
    return response


@needs("enter", "GET")
def metrics(request: HttpRequest) -> HttpResponse:
    """Needs a token with the scope monitor."""
    try:
        require(bearer(request), "monitor")
    except (NoToken, TooMany, NotAllowed) as refused:
        return problems.told(request, refused)
    response = HttpResponse(text(figures.told()), content_type=CONTENT_TYPE)
    response["Cache-Control"] = "no-store"
    return response


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
