"""The crash trials of a running experiment: a table of settings and crash kinds, in words."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TypedDict

from django.db.models import Case, Count, IntegerField, Q, Value, When

from dashboard.records.experiments.kind_names import MUST_HOLD, MUST_LOSE, in_order, title
from dashboard.records.experiments.models import Cell, Experiment, Trial
from dashboard.records.experiments.verdict_label import (
    COMMITS_LOST,
    NOTHING_LOST,
    OTHER_FAILURE,
    READ_THEN_LOST,
    REPLICA_STOPPED,
    UNCLEAR,
    replica_stopped,
    verdict_label,
)
from workers.analysis.binomial import interval, shows_rare
from workers.bench.plan import CONTROLS

TONES = {  # the worst first
    COMMITS_LOST: "few",
    READ_THEN_LOST: "other",
    OTHER_FAILURE: "other",
    REPLICA_STOPPED: "other",
    UNCLEAR: "unknown",
    NOTHING_LOST: "held",
}
LOST = Q(lost_engine__gt=0) | Q(lost_binlog__gt=0) | Q(lost_replica__gt=0)


class CrashCell(TypedDict):
    kind: str
    words: str
    tone: str  # a class of crash.css


@dataclass(frozen=True)
class CrashRow:
    name: str
    cells: list[CrashCell]


@dataclass(frozen=True)
class CrashProgress:
    kinds: list[str]
    rows: list[CrashRow]
    is_phase: bool  # no cell is left to measure

    @property
    def cells(self) -> list[CrashCell]:
        return [cell for row in self.rows for cell in row.cells]


def crash_progress(experiment: Experiment) -> CrashProgress:
    plan = experiment.outline
    counted = _counted(experiment) if plan.crash and plan.crash.trials else {}
    if not counted:
        return CrashProgress([], [], is_phase=False)
    kinds = in_order(kind for _, _, kind in counted)
    order = {variant.name: place for place, variant in enumerate(plan.variants)}
    settings = sorted({(server, variant) for server, variant, _ in counted}, key=lambda one: (one[0], order[one[1]]))
    several = len({server for server, _ in settings}) > 1
    rows = [
        CrashRow(
            f"{server}: {variant}" if several else variant,
            [_cell(counted.get((server, variant, kind), Counter()), kind) for kind in kinds],
        )
        for server, variant in settings
    ]
    left = experiment.cells.filter(state__in=[Cell.State.WAITING, Cell.State.RUNNING])
    return CrashProgress([_heading(kind) for kind in kinds], rows, not left.exists())


def _counted(experiment: Experiment) -> dict[tuple[str, str, str], Counter[str]]:
    """(Server, variant, kind) -> number of trials by verdict, or by state if there is no verdict."""
    found: defaultdict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
    lost = Case(When(LOST, then=Value(1)), default=Value(0))
    read = Case(When(phantoms__gt=0, then=Value(1)), default=Value(0))
    known = Case(When(lost_replica=None, then=None), default=Value(0), output_field=IntegerField())
    rows = experiment.trials.order_by().annotate(lost=lost, read=read, known=known)
    keys = ("server__name", "variant", "kind", "state", "verdict", "lost", "read", "known")
    for server, variant, kind, state, verdict, any_lost, any_read, of_replica, n in rows.values_list(*keys).annotate(
        n=Count("pk")
    ):
        stopped = replica_stopped(kind, verdict, of_replica)
        word = verdict_label(verdict, [any_lost], any_read, stopped=stopped) or Trial.State(state).label
        found[server, variant, kind][word] += n
    return dict(found)


def _cell(counted: Counter[str], kind: str) -> CrashCell:
    """Words with their counts. A control has a tone of its own: its verdict says nothing about the setting."""
    words = [*(word for word in TONES if word in counted), *sorted(set(counted) - set(TONES))]
    tone = next((TONES[word] for word in words if word in TONES), "")
    if tone == "held" and not shows_rare(interval(0, counted[NOTHING_LOST])[1]):
        tone = "scarce"  # as in the matrix of the result
    if tone and kind in CONTROLS:
        tone = "flagged"
    said = [_told(word, counted[word], counted.total(), kind) for word in words]
    return {"kind": _heading(kind), "words": ", ".join(said) or "not planned", "tone": tone}


def _told(word: str, n: int, total: int, kind: str) -> str:
    """`commits lost in 2 of 3`; a state without a verdict: `1 waiting`."""
    if total == 1:
        return _expected(word, kind)
    return f"{_expected(word, kind)} in {n} of {total}" if word in TONES else f"{n} {word}"


def _heading(kind: str) -> str:
    return f"self-test: {title(kind)}" if kind in CONTROLS else title(kind)


def _expected(word: str, kind: str) -> str:
    """The verdict of a control with the word that it is the right one."""
    right = (kind in MUST_LOSE and word == COMMITS_LOST) or (kind in MUST_HOLD and word == NOTHING_LOST)
    return f"{word}, as it must be" if right else word
