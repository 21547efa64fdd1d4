"""The harness's pages, rendered by Django's templates with made-up figures, and the payloads of every chart kind."""

import math
from pathlib import Path
from types import SimpleNamespace

from django.contrib.auth.models import AnonymousUser, User
from django.template import Context, Engine
from django.test.utils import override_settings

from dashboard.findings.looks import looks

TEMPLATES = [str(Path(__file__).parent / "templates"), str(Path(__file__).resolve().parents[3] / "templates")]
BUILTINS = [f"dashboard.pages.templatetags.{name}" for name in ("entries", "terms")]
ENGINE = Engine(dirs=TEMPLATES, libraries={"static": "django.templatetags.static"}, builtins=BUILTINS)
VARIANTS = ["1/1", "2/1", "2/0", "0/0"]
THREADS = [1, 2, 4, 8, 16, 32, 64]
COLUMN = {"threads": {"label": "threads", "unit": "", "scale": "log2"}}


def _payload(key: str, title: str, kind: str, x: dict, y: dict, series: list[dict]) -> dict:
    return {"key": key, "title": title, "kind": kind, "x": x, "y": y, "series": series, "empty": ""}


def _series(name: str, colour: int, points: list[dict], dash: bool = False, stack: str = "") -> dict:
    return {"name": name, "colour": colour, "dash": dash, "stack": stack, "points": points}


def _axis(label: str, unit: str, scale: str = "linear", toggle: bool = False) -> dict:
    return {"label": label, "unit": unit, "scale": scale, "can_toggle_log": toggle}


def _tps(threads: int, nth: int) -> float:
    return (210, 260, 1900, 2100)[nth] * threads / (1 + threads / (60, 70, 14, 13)[nth])


def _scaling() -> dict:
    lines = []
    for nth, name in enumerate(VARIANTS):
        values = [(threads, _tps(threads, nth)) for threads in THREADS]
        points = [{"x": t, "y": v, "lo": v * 0.94, "hi": v * 1.05, "mark": ""} for t, v in values]
        lines.append(_series(name, nth, points))
    ceiling = [{"x": t, "y": 420 * min(t, 32) ** 0.9} for t in THREADS]
    lines.append({**_series("1/1", 0, ceiling), "ceiling": True})
    y = _axis("commits per second", "/s", toggle=True)
    return _payload("throughput", "Throughput by threads", "scaling", COLUMN["threads"], y, lines)


def _ratio() -> dict:
    lines = []
    for nth, name in list(enumerate(VARIANTS))[1:]:
        values = [(t, _tps(t, nth) / _tps(t, 0)) for t in THREADS]
        lines.append(_series(name, nth, [{"x": t, "y": v, "lo": v * 0.93, "hi": v * 1.07} for t, v in values]))
    y = _axis("times the throughput of 1/1", "\N{MULTIPLICATION SIGN}", toggle=True)
    return _payload("ratio", "Against 1/1", "ratio", COLUMN["threads"], y, lines)


def _stacked() -> dict:
    parts = {"redo": 0.9, "binlog": 1.0, "data": 0.12}
    lines = [
        _series(
            f"{name} {part}", nth, [{"x": t, "y": share / (1 + t / 9) / (1 + nth * 2)} for t in (1, 8, 32)], stack=name
        )
        for nth, name in enumerate(VARIANTS)
        for part, share in parts.items()
    ]
    x = {"label": "threads", "unit": "", "scale": "category", "categories": [1, 8, 32]}
    return _payload("fsyncs", "Fsyncs per commit", "stacked", x, _axis("fsyncs per commit", ""), lines)


def _bars() -> dict:
    def points(nth: int) -> list[dict]:
        values = [
            {"x": t, "y": t**0.6 * (nth + 1), "lo": t**0.6 * nth + 0.8, "hi": t**0.6 * (nth + 1.2)} for t in (1, 8, 32)
        ]
        return [*values[:2], {"x": 32, "y": None}] if nth == 1 else values

    x = {"label": "threads", "unit": "", "scale": "category", "categories": [1, 8, 32]}
    lines = [_series(name, nth, points(nth)) for nth, name in enumerate(VARIANTS[:3])]
    return _payload("groups", "Commits per group", "bars", x, _axis("commits per group", ""), lines)


def _second(t: int, nth: int) -> dict:
    stalled = nth == 0 and t in (23, 24, 25, 44)
    level = (900, 5200)[nth] * (1 + 0.08 * math.sin(t * 1.7) + 0.05 * math.sin(t * 0.61))
    return {"x": t, "y": 12.0 if stalled else level, "mark": "stall" if stalled else ""}


def _time() -> dict:
    lines = [_series(name, nth, [_second(t, nth) for t in range(1, 61)]) for nth, name in enumerate(("1/1", "2/0"))]
    x = {"label": "", "unit": "s", "scale": "linear"}
    return _payload("seconds", "Second by second", "time", x, _axis("commits per second", "/s", toggle=True), lines)


def _histogram() -> dict:
    def share(bound: float, middle: float) -> float:
        return 100 * math.exp(-((math.log(bound / middle)) ** 2) / 0.35)

    bounds = [2**step for step in range(4, 16) if step != 11]  # nothing took 1 to 2 ms: such a bucket is left out
    lines = [
        {
            **_series(f"{name} {files}", nth, [{"x": b, "y": share(b, middle)} for b in bounds], middle == 90),
            "panel": name,
        }
        for nth, name in enumerate(VARIANTS)
        for files, middle in (("redo", 420 >> nth), ("binlog", 90))
    ]
    x = {"label": "fsync took up to", "unit": "µs", "scale": "log2"}
    return _payload("latency", "Fsync latency", "histogram", x, _axis("share of fsyncs", "%"), lines)


def _empty() -> dict:
    reason = "Not available here: this server's performance_schema is off."
    return {**_payload("none", "Bytes per commit", "bars", COLUMN["threads"], _axis("bytes", "B"), []), "empty": reason}


PAYLOADS = {
    chart["key"]: chart
    for chart in (_scaling(), _ratio(), _stacked(), _bars(), _time(), _histogram(), _empty())
}  # fmt: skip
MANY = {
    **_scaling(),
    "key": "many",
    "series": [
        {**_scaling()["series"][0], "name": f"flush {nth}, a long name", "colour": nth, "points": [
            {"x": t, "y": 300 * t ** (0.9 - nth / 30)} for t in THREADS]}
        for nth in range(8)
    ],
}  # fmt: skip
SERVERS = [f"Server {version}" for version in range(13)]
CROWD_NAMES = [f"{server}, {binlog}" for server in SERVERS for binlog in ("off", "on")]


def _crowd() -> dict:
    """As many variants as the largest recipe has, each with its ceiling."""
    lines = []
    for nth, (name, look) in enumerate(zip(CROWD_NAMES, looks(CROWD_NAMES), strict=True)):
        points = [{"x": t, "y": (150 + 9 * nth) * t ** (0.5 + nth / 80)} for t in THREADS]
        one = {**_series(name, look.colour, points), "dash": look.dash}
        lines += [one, {**one, "points": [{**p, "y": 1.4 * p["y"]} for p in points], "ceiling": True}]
    return {**_scaling(), "key": "crowd", "title": "Twenty-six variants", "series": lines}


CROWD = _crowd()
PLACES = [  # median loss, commits per second: settings come in clusters, as 1/1 beside 2/1 and 2/0 beside 0/0
    (0, 3500), (281, 3600), (8878, 8000), (8694, 22600), (0, 3800), (310, 3300), (8200, 7600), (9000, 21500),
]  # fmt: skip


DEMO = [("1/1", 0, 1950, 4170), ("2/1", 235, 2130, 4520), ("0/0", 4570, 27700, 72700), ("2/0", 7730, 8610, 24100)]


def _risk(key: str, settings: list[tuple[str, float, float, float]]) -> dict:
    """`settings`: name, median loss, commits per second, and the end of their interval."""

    def series(nth: int) -> dict:
        name, loss, tps, high = settings[nth]
        point = {"x": loss, "x_lo": loss * 0.6, "x_hi": loss * 1.5, "y": tps, "lo": max(0, 2 * tps - high), "hi": high}
        point |= {"mark": f"lost {'commits in 3 of' if loss else 'nothing in'} 3 power losses"}
        return {**_series(name, nth, [point]), "replica": "agree", "mine": nth == 1}

    x, y = _axis("commits lost", "", "log"), _axis("commits per second", "/s", toggle=True)
    return _payload(key, "Speed against risk", "risk", x, y, [series(nth) for nth in range(len(settings))])


ALIKE = [(f"{nth}/{nth}, MyRocks", loss, tps, tps * 1.3) for nth, (loss, tps) in enumerate(PLACES)]
RISKS = [*(_risk(f"risk-{count}", ALIKE[:count]) for count in range(2, 9)), _risk("risk-demo", DEMO)]


def render(name: str, shared: bool = False) -> str:
    """The page `name` of harness/templates inside the product's base.html."""
    someone = AnonymousUser() if name == "login" else User(username="maria")
    context = {
        "request": SimpleNamespace(path_info="/experiments/7/"),
        "user": someone,
        "shared": shared,
        "version": "0.1.0",
        "charts": PAYLOADS,
        "many": MANY,
        "crowd": CROWD,
        "risks": RISKS,
        "csrf_token": "token",
    }
    with override_settings(ROOT_URLCONF="tests.browser.harness.urls"):
        return ENGINE.get_template(f"{name}.html").render(Context(context))
