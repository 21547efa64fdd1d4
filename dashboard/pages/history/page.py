from collections.abc import Collection
from datetime import datetime
from urllib.parse import urlencode

from django.db.models import Q
from django.template.defaultfilters import pluralize
from django.urls import reverse

from dashboard.charts import nights as charts
from dashboard.findings import changes as words
from dashboard.findings.nights import NIGHTS, HistoryView, Marked
from dashboard.pages.results.picture import Picture
from dashboard.records.history.figures import FIGURES, HistoryFigure, of_kind
from dashboard.records.history.models import Change, Track
from dashboard.records.history.queries import ACCEPTED, figured, not_noted
from dashboard.records.servers.models import Server
from dashboard.text.numbers import FORMATS, UNKNOWN
from workers.analysis.change_points import FEWEST

NEWEST = 7  # nights in the table; the files hold all nights
STATE_BADGES: dict[str, str] = {  # classes of static/css/badges.css
    Change.State.SUSPECTED: "unknown",
    Change.State.CONFIRMED: "info",
    Change.State.NOT_CONFIRMED: "cancelled",
    Change.State.PAST: "idle",
}
CHOOSERS: dict[str, str] = {Track.Kind.LOAD: "Load", Track.Kind.CRASH: "Crashes", Track.Kind.FAILOVER: "Failovers"}


def context(view: HistoryView) -> dict[str, object]:
    return {
        "server": view.server,
        "finding": finding(view),
        "changes": [_row(one) for one in view.changes],
        "choosers": _choosers(view),
        "sections": [one for kind in view.chosen if (one := _section(view, kind))],
    }


def finding(view: HistoryView) -> str:
    """The first sentence: the newest accepted change, or that there is none."""
    nights = max((len(line.entries) for lines in view.lines.values() for line in lines), default=0)
    if not nights:
        return _nothing(view.server)
    known = [change for one in view.changes for change in one.changes]
    if accepted := [one for one in known if one.state in ACCEPTED]:
        return _newest_change(accepted)
    if any(one.state == Change.State.SUSPECTED for one in known):
        return "A change is suspected and not confirmed yet."
    if not any(len(line.entries) > 1 for lines in view.lines.values() for line in lines):
        return "One experiment so far: there is nothing to compare with yet."
    return _no_change(view)


def _no_change(view: HistoryView) -> str:
    """All shown nights came after the last accepted change. "No change" needs enough measurements to find one."""
    known = [len(figured(key, line.entries)) for key in FIGURES for line in view.lines_of(key)]
    most = max(known)
    if most < FEWEST:
        return f"{most} measurement{pluralize(most)}: too few to tell a change from noise; about {FEWEST} are needed."
    found = f"No change was found in {most:,} measurements."
    if any(0 < one < FEWEST for one in known):
        return f"{found} Some figures have fewer than {FEWEST}: too few to tell a change from noise."
    return found


def _nothing(server: Server) -> str:
    """Never measured, or the last measurement is not in the history yet."""
    ended = not_noted().filter(Q(cells__server=server) | Q(trials__server=server))
    if ended.exists():
        return "The measurements of this server are not in the history yet. A worker adds them within a few minutes."
    return "Nothing was measured on this server yet."


def _newest_change(accepted: list[Change]) -> str:
    change = accepted[0]
    others = sum(one.first.experiment_id == change.first.experiment_id for one in accepted) - 1
    more = f", and {others} more figure{pluralize(others)} with it" if others else ""
    return f"{words.headline(change)} on {change.first.at:%Y-%m-%d}, {change.get_state_display()}{more}."


def _row(one: Marked) -> dict[str, object]:
    return {
        "number": one.number,
        "at": one.at,
        "experiment_id": one.changes[0].first.experiment_id,
        "changes": [in_words(change) for change in one.changes],
        "differed": one.differed,
    }


def in_words(change: Change) -> dict[str, object]:
    return {
        "change": change,
        "badge": STATE_BADGES[change.state],
        "headline": words.headline(change),
        "before": words.level(change, change.before),
        "after": words.level(change, change.after),
    }


def _choosers(view: HistoryView) -> list[dict[str, object]]:
    """The selects above the charts; a select with a single option is left out."""
    found: list[dict[str, object]] = [
        {"name": kind, "label": CHOOSERS[kind], "options": [(c.key, c.says) for c in known], "chosen": chosen}
        for kind, chosen in view.chosen.items()
        if len(known := view.conditions(kind)) > 1
    ]
    nights = [(n, f"the newest {n:,}") for n in sorted(NIGHTS)]
    return [*found, {"name": "nights", "label": "Experiments", "options": nights, "chosen": view.nights}]


def _section(view: HistoryView, kind: str) -> dict[str, object] | None:
    """The charts and the newest nights of one kind of track; None without a track of this kind."""
    if not view.lines[kind]:
        return None
    figures = _figures(view, kind)
    return {
        "kind": kind,
        "says": next(one.says for one in view.conditions(kind) if one.key == view.chosen[kind]),
        "pictures": [_picture(key, view) for key in figures],
        "titles": [figure.title for figure in figures.values()],
        "nights": _newest(view, kind, figures.values()),
    }


def _figures(view: HistoryView, kind: str) -> dict[str, HistoryFigure]:
    """Without those that no night has: a crash of a replica has no write outage. If no night has any, all."""
    entries = [entry for line in view.lines[kind] for entry in line.entries]
    known = {
        key: figure
        for key, figure in of_kind(kind).items()
        if any(getattr(entry, figure.column) is not None for entry in entries)
    }
    return known or of_kind(kind)


def _picture(key: str, view: HistoryView) -> Picture:
    made = charts.outline(key, view)
    query = urlencode({**{kind: one for kind, one in view.chosen.items() if one}, "nights": view.nights})
    csv, json = (f"{reverse('history:chart', args=[view.server.pk, key, form])}?{query}" for form in ("csv", "json"))
    return Picture(made, csv, json, "" if made.empty else json)


def _newest(view: HistoryView, kind: str, figures: Collection[HistoryFigure]) -> list[dict[str, object]]:
    """Each night lists its variants in the order of the charts."""
    found: dict[tuple[datetime, int], list[dict[str, object]]] = {}
    for line in view.lines[kind]:
        for entry in line.entries[-NEWEST:]:
            known = [(figure, getattr(entry, figure.column)) for figure in figures]
            cells = [(one.title, UNKNOWN if value is None else FORMATS[one.form](value)) for one, value in known]
            found.setdefault((entry.at, entry.experiment_id), []).append({"name": line.name, "cells": cells})
    newest = sorted(found, reverse=True)[:NEWEST]
    return [{"at": at, "experiment_id": pk, "variants": found[at, pk]} for at, pk in newest]
