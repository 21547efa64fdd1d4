"""The names of the crash kinds in sentences, and their order. The names are those of the registries."""

import re
from collections.abc import Iterable

from workers.bench.plan import CONTROLS
from workers.bench.trial_kinds import TRIAL_KINDS
from workers.crash.kinds import CRASH_KINDS
from workers.topology.faults import FAULTS

MUST_LOSE = tuple(kind for kind in CONTROLS if TRIAL_KINDS[kind].control == "must lose")
MUST_HOLD = tuple(kind for kind in CONTROLS if TRIAL_KINDS[kind].control == "must hold")
RECORDED = "every-crash-point"  # its trials are recorded loads
RECORDED_KINDS = frozenset(key for key, kind in CRASH_KINDS.items() if kind.records)
HISTORIES = frozenset(key for key, kind in CRASH_KINDS.items() if kind.records == "histories")
FIRST = "power-loss"  # the kind in the chart of speed against risk, unless the reader chose another
ORDER = (*(kind for kind in (*CRASH_KINDS, *FAULTS) if kind not in CONTROLS), *CONTROLS)  # as in the registries


def title(kind: str) -> str:
    """primary-host-loss -> loss of the primary's host."""
    known = TRIAL_KINDS[kind].title if kind in TRIAL_KINDS else kind.replace("-", " ")
    return known[:1].lower() + known[1:]


def plural(kind: str) -> str:
    """power-loss -> power losses; primary-host-loss -> losses of the primary's host."""
    noun, *rest = re.split("(?= of | by | with | without )", singular(kind))
    return "".join([noun, "es" if noun.endswith(("ss", "sh")) else "s", *rest])


def singular(kind: str) -> str:
    """What one trial crashes: a power loss, a load with crash points."""
    return (CRASH_KINDS[kind].one_trial if kind in CRASH_KINDS else "") or title(kind)


def number_of(kind: str, n: int) -> str:
    """1 power loss, 30 power losses, 1 load with crash points."""
    return f"1 {singular(kind)}" if n == 1 else f"{n:,} {plural(kind)}"


def in_order(kinds: Iterable[str]) -> list[str]:
    """Each kind once: known kinds, then unknown kinds, then controls."""
    met = set(kinds)
    others = sorted(met - set(ORDER))
    tried = [kind for kind in ORDER if kind in met and kind not in CONTROLS]
    return tried + others + [kind for kind in CONTROLS if kind in met]
