"""The names of the crash kinds on pages, and their order."""

from collections.abc import Iterable

from workers.bench.plan import CONTROLS, CRASH_CONTROLS, FAILOVER_CONTROLS
from workers.crash.kinds import CRASH_KINDS
from workers.topology.faults import FAULTS

LYING_DISK, GRACEFUL_RESTART = CRASH_CONTROLS
MUST_LOSE, MUST_HOLD = zip(CRASH_CONTROLS, FAILOVER_CONTROLS, strict=True)
RECORDED = "every-crash-point"  # its trials are recorded loads
FIRST = "power-loss"  # the kind in the chart of speed against risk, unless the reader chose another
ORDER = (*(kind for kind in (*CRASH_KINDS, *FAULTS) if kind not in CONTROLS), *CONTROLS)  # as in the registries
_TITLES = {RECORDED: "crash points", "attached-expendable": "crash by the owner's command"}
_PLURALS = {  # those without the usual ending
    "crash by the owner's command": "crashes by the owner's command",
    "crash points": "recorded loads",
    "majority lost": "losses of the majority",
    "primary host loss": "losses of the primary's host",
    "primary power loss": "power losses of the primary",
}
_SINGULARS = {"crash points": "recorded load", "majority lost": "loss of the majority"}


def title(kind: str) -> str:
    """power-loss -> power loss."""
    return _TITLES.get(kind) or kind.replace("-", " ")


def plural(kind: str) -> str:
    """power-loss -> power losses."""
    name = title(kind)
    return _PLURALS.get(name) or f"{name}{'es' if name.endswith('ss') else 's'}"


def singular(kind: str) -> str:
    """What one trial crashes: a power loss, a recorded load."""
    return _SINGULARS.get(title(kind), title(kind))


def number_of(kind: str, n: int) -> str:
    """1 power loss, 30 power losses, 1 recorded load."""
    return f"1 {singular(kind)}" if n == 1 else f"{n:,} {plural(kind)}"


def in_order(kinds: Iterable[str]) -> list[str]:
    """Each kind once: known kinds, then unknown kinds, then controls."""
    met = set(kinds)
    others = sorted(met - set(ORDER))
    tried = [kind for kind in ORDER if kind in met and kind not in CONTROLS]
    return tried + others + [kind for kind in CONTROLS if kind in met]
