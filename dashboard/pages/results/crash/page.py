"""What the crash part of a result page is given; nothing where an experiment has no trials."""

from typing import Any

from dashboard.findings.crash.detector import detector
from dashboard.findings.crash.finding import crash_finding
from dashboard.findings.crash.statistics import finished
from dashboard.findings.shown import LOST_FROM, Shown
from dashboard.pages.results.addresses import Addresses
from dashboard.pages.results.crash.matrix import matrix
from dashboard.pages.results.crash.table import crash_table
from dashboard.records.experiments.crash_kinds import title
from dashboard.records.experiments.models import Experiment


def context(experiment: Experiment, shown: Shown, addresses: Addresses) -> dict[str, Any] | None:
    if not shown.trials:
        return None
    return {
        "finding": crash_finding(shown, experiment.is_over),
        "detector": detector(shown.trials),
        "kinds": [title(kind) for kind in shown.crash_kinds],
        "rows": matrix(shown, addresses),
        "table": crash_table(shown),
        "finished": finished(shown.trials),
        "total": len(shown.trials),
        "trials_url": addresses.trials(),
    }


def choosers(shown: Shown) -> list[dict[str, Any]]:
    """The selects that cost against risk adds to those of the page."""
    if not shown.trials:
        return []
    kinds = [(kind, title(kind)) for kind in shown.crash_kinds]
    mine = [(n, shown.clean(name)) for n, name in enumerate(shown.variants)]
    chosen = shown.variants.index(shown.mine) if shown.mine else None
    return [
        {"name": "crash", "label": "Crash", "options": kinds, "chosen": shown.crash_kind},
        {
            "name": "lost",
            "label": "Lost from",
            "options": [(place, f"the {place}") for place in LOST_FROM],
            "chosen": shown.lost_from,
        },
        {"name": "mine", "label": "My setting", "options": mine, "chosen": chosen, "nothing": "not marked"},
    ]
