"""A fault, where it strikes, and which shapes of experiments it fits."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from dashboard.local.processes import Child
from tests.bench.chaos.installation import Installation
from tests.bench.chaos.plans import Shape


@dataclass(frozen=True)
class Scene:
    """Where a fault strikes."""

    installation: Installation
    chance: Random
    terminal: Child | None
    unkept: list[str] = field(default_factory=list)  # what had to hold while the fault lasted, and did not

    def a_while(self) -> float:
        return self.chance.uniform(1, self.installation.longest_s)


@dataclass(frozen=True)
class Fault:
    """`inject` says in words what was done; None: there was nothing to hit."""

    inject: Callable[[Scene], str | None]
    weight: int = 1
    fits: Callable[[Shape], bool] = lambda shape: True
    missing: Callable[[Installation], str] = lambda installation: ""


def on_sandboxes(shape: Shape) -> bool:
    return shape.has_sandbox


def on_attached(shape: Shape) -> bool:
    return shape.is_attached


def started_by(name: str) -> Callable[[Shape], bool]:
    return lambda shape: shape.start.__name__ == name
