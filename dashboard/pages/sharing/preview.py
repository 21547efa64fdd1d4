"""The picture that messengers show beside a link: the headline and speed against loss, with the marks of the page."""

import re
from datetime import datetime
from functools import cache
from pathlib import Path

from django.contrib.staticfiles import finders
from django.template.loader import render_to_string

from dashboard.charts.marks.png import png
from dashboard.charts.marks.speed_loss import SpeedLoss, speed_loss
from dashboard.findings.result.compared import comparison
from dashboard.pages.results.addresses import Addresses
from dashboard.pages.results.crash.page import crash_part
from dashboard.pages.results.page import shown_to
from dashboard.pages.results.short import short_finding
from dashboard.records.experiments.models import Experiment

SIZE = (1200, 630)  # what messengers ask for
LARGEST, SMALLEST = 46, 26  # px of the headline
ROOM = 40  # letters of the largest that fit
LONGEST = ROOM * LARGEST // SMALLEST
_TOKEN = re.compile(r"(--[\w-]+):\s*light-dark\((#\w+),")
_USED = re.compile(r"var\((--[\w-]+)\)")


def picture(experiment: Experiment, token: str) -> bytes | None:
    """As a PNG; None: no setting has both a speed and a crash of which the losses are known."""
    svg = picture_svg(experiment, token)
    return png(svg, _style()) if svg else None


def picture_svg(experiment: Experiment, token: str) -> str:
    """Empty for none."""
    view = shown_to(experiment, {}, shared=True)
    crash = crash_part(experiment, view, Addresses(experiment.pk, token))
    if crash is None or crash.answer.choice.why == "controls failed":
        return ""
    choice = crash.answer.choice
    plot = speed_loss(comparison(view, choice.setting))
    return _drawn(plot, short_finding(choice), view.clean(experiment.name), experiment.ended_at) if plot else ""


def _drawn(plot: SpeedLoss, headline: str, name: str, ended_at: datetime | None) -> str:
    letters = min(len(headline), LONGEST)
    context = {
        "plot": plot,
        "comparison": plot.comparison,
        "headline": headline if letters == len(headline) else f"{headline[: LONGEST - 1]}…",
        "size": min(LARGEST, LARGEST * ROOM // letters),
        "name": name,
        "ended_at": ended_at,
        "trials": sum(len(row.crashes) for row in plot.comparison.rows),
        "moments": sum(row.moments for row in plot.comparison.rows),
    }
    return render_to_string("sharing/preview.svg", context)


@cache
def _style() -> str:
    """That of the page's marks, in the light theme: a picture knows no variables."""
    tokens = dict(_TOKEN.findall(_css("tokens")))
    return _USED.sub(lambda used: tokens[used[1]], _css("marks"))


def _css(name: str) -> str:
    found = finders.find(f"css/{name}.css")
    if found is None:
        raise FileNotFoundError(f"css/{name}.css")
    return Path(found).read_text()
