"""Where the experiments were measured, as far as everybody may know: no host, no path, no address."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.experiments.environment import facts
from dashboard.experiments.models import Environment, Run, Trial
from dashboard.numbers import UNKNOWN

# Those of results.environment.FACTS that make a machine.
MACHINE = ("CPU", "cores", "memory", "kernel", "distribution", "transparent huge pages")
_PARTS = (
    "host",
    "storage",
    "sysbench",
    "server__version",
)  # of Environment.data, whose variables would be much to read


@dataclass(frozen=True)
class Measured:
    """One environment in which a variant of an experiment was measured: facts as results.environment names them."""

    experiment_id: int
    variant: str
    facts: Mapping[str, str]

    @property
    def machine(self) -> tuple[tuple[str, str], ...]:
        return tuple((name, _release(self.facts[name]) if name == "kernel" else self.facts[name]) for name in MACHINE)


def _release(kernel: str) -> str:
    """Its numbers; what stands behind them is the name that somebody gave to their own build."""
    numbers = re.match(r"\d+(\.\d+)*", kernel)
    return numbers[0] if numbers else kernel


def measured(experiments: Iterable[int]) -> list[Measured]:
    ids = [*experiments]
    runs = Run.objects.filter(cell__experiment__in=ids).order_by()
    trials = Trial.objects.filter(experiment__in=ids).exclude(environment=None).order_by()
    met = [
        *runs.values_list("cell__experiment_id", "cell__variant", "environment_id").distinct(),
        *trials.values_list("experiment_id", "variant", "environment_id").distinct(),
    ]
    known = _facts({environment for _, _, environment in met})
    return [Measured(experiment, variant, known[one]) for experiment, variant, one in dict.fromkeys(met)]


def machines(met: Sequence[Measured]) -> list[dict[str, str]]:
    """Each machine once."""
    return [dict(machine) for machine in dict.fromkeys(one.machine for one in met)]


def names(met: Iterable[Measured], fact: str, experiment_id: int | None = None) -> list[str]:
    """What a fact was in the experiment, or in all of them, where it is known."""
    mine = (one for one in met if experiment_id in (None, one.experiment_id))
    return sorted({one.facts[fact] for one in mine} - {UNKNOWN})


def versions(met: Iterable[Measured], experiment_id: int) -> list[str]:
    """Of the servers. An old server adds -log where its binlog is on: that is a setting, no version."""
    return list(dict.fromkeys(one.removesuffix("-log") for one in names(met, "server version", experiment_id)))


def _facts(ids: Iterable[int]) -> dict[int, dict[str, str]]:
    rows = Environment.objects.filter(pk__in=ids).values_list("pk", *(f"data__{part}" for part in _PARTS))
    return {pk: facts(_data(*parts)) for pk, *parts in rows}


def _data(host: Any, storage: Any, sysbench: Any, version: Any) -> dict[str, Any]:
    return {"host": host, "storage": storage, "sysbench": sysbench, "server": {"version": version}}
