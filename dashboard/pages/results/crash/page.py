"""The crash part of a result page; there is none where an experiment has no crash trials."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.charts.chart import ChartTable
from dashboard.findings.answer import ResultAnswer, answer
from dashboard.findings.crash.finding import crash_finding
from dashboard.findings.crash.losses import lost_whole_load
from dashboard.findings.crash.missing import lost_from
from dashboard.findings.crash.self_test import SelfTest, self_test
from dashboard.findings.crash.statistics import LOST_FROM, finished, tallies
from dashboard.findings.crash.trials import engine_in
from dashboard.findings.finding import Finding
from dashboard.findings.flushing import DURABLE, level
from dashboard.findings.present import present_variants
from dashboard.findings.shown import ResultView
from dashboard.pages.results.addresses import Addresses
from dashboard.pages.results.crash.load_maps import LoadMaps, load_maps
from dashboard.pages.results.crash.matrix import MatrixRow, kinds, matrix
from dashboard.pages.results.crash.table import crash_tables
from dashboard.records.experiments.kind_names import HISTORIES, title
from dashboard.records.experiments.models import Experiment
from workers.bench.plan import CONTROLS
from workers.bench.trial_kinds import POWER_LOSSES


@dataclass(frozen=True)
class CrashPart:
    """`kinds`: titles of the matrix's columns; `moments`: most crash points of a recorded load, 0: none was recorded;
    `load_moments`: without small histories;
    `lost_whole_load`: some trials lost nearly all of their commits; `clients`: connections that commit until a crash;
    `flushes_by_time`: a variant does not flush both logs at each commit; `finished`: how many
    trials of `total` ended with a verdict; `power_losses`: some were tried, on a disk that the worker simulates."""

    finding: Finding
    answer: ResultAnswer
    self_test: SelfTest
    kinds: Sequence[str]
    moments: int
    load_moments: int
    lost_whole_load: bool
    power_losses: bool
    flushes_by_time: bool
    clients: int
    rows: Sequence[MatrixRow]
    maps: LoadMaps | None
    tables: Sequence[ChartTable]
    finished: int
    total: int
    trials_url: str


def crash_part(experiment: Experiment, view: ResultView, addresses: Addresses) -> CrashPart | None:
    if not view.trials:
        return None
    checked = self_test(view.trials)
    found = crash_finding(view.settings, view.trials, view.pairs, experiment.is_over)
    return CrashPart(
        finding=found,
        answer=answer(view, found, checked),
        self_test=checked,
        kinds=[title(kind) for kind in kinds(view)],
        moments=max((trial.points.tried for trial in view.trials if trial.points), default=0),
        load_moments=max(
            (one.points.tried for one in view.trials if one.points and one.kind not in HISTORIES), default=0
        ),
        lost_whole_load=any(one.kind not in CONTROLS and lost_whole_load(one) for one in tallies(view.trials).values()),
        power_losses=not POWER_LOSSES.isdisjoint(view.crash_kinds),
        flushes_by_time=any(level(one.settings) not in (None, DURABLE) for one in view.plan.variants),
        clients=view.plan.crash.clients,
        rows=matrix(view, addresses),
        maps=load_maps(view, addresses),
        tables=crash_tables(view),
        finished=finished(view.trials),
        total=len(view.trials),
        trials_url=addresses.trials(),
    )


def choosers(view: ResultView) -> list[dict[str, object]]:
    """The selects of the chart *Speed against risk*."""
    if not view.trials:
        return []
    tried = [(kind, title(kind)) for kind in view.crash_kinds]
    mine = [(n, view.clean(name)) for n, name in enumerate(view.variants)]
    chosen = view.variants.index(view.choice.mine) if view.choice.mine else None
    return [
        {"name": "crash", "label": "Crash", "options": tried, "chosen": view.choice.crash_kind},
        {
            "name": "lost",
            "label": "Lost from",
            "options": [(place, lost_from(place, engine_in(view.trials))) for place in LOST_FROM],
            "chosen": view.choice.lost_from,
        },
        {
            "name": "mine",
            "label": "Mark the setting of your server",
            "options": mine,
            "chosen": chosen,
            "nothing": _present(view),
        },
    ]


def _present(view: ResultView) -> str:
    """Of the servers themselves, where the reader chooses none."""
    known = dict.fromkeys(view.clean(name) for name in present_variants(view.plan).values() if name)
    return f"as on the server ({', '.join(known)})" if known else "none chosen"
