"""Ready plans: one TOML file each beside this module, completed with targets and a seed when used."""

import secrets
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workers.bench.plan import Plan, PlanTarget
from workers.errors import PlanError

FOLDER = Path(__file__).parent
NUMBERS = ("repeats", "warmup_s", "measure_s", "table_rows", "seed", "trials", "control_trials", "clients")
TEXTS: dict[str, Callable[[str], Any]] = {
    "name": str,
    "baseline": str,
    "sources": lambda value: value.split(","),
    "kinds": lambda value: value.split(","),
    "replica": lambda value: value.lower() in ("1", "yes", "true", "on"),
}
CRASH = ("trials", "control_trials", "clients", "kinds", "load_s", "replica")


@dataclass(frozen=True)
class Recipe:
    """A plan without targets. `claims` are ids of docs/claims.md that it bears on."""

    key: str
    title: str
    says: str
    claims: tuple[str, ...]
    draft: Mapping[str, Any]

    def plan(self, targets: Iterable[PlanTarget], overrides: Mapping[str, str] | None = None) -> Plan:
        """The plan for these targets. `overrides`: as given to --set. Raises PlanError naming the bad one."""
        changed = {name: _parsed(name, value) for name, value in (overrides or {}).items()}
        crash = {name: changed.pop(name) for name in CRASH if name in changed}
        draft = {"name": self.title, "seed": secrets.randbelow(2**31), **self.draft, **changed}
        draft["crash"] = {**self.draft.get("crash", {}), **crash}
        workloads = [{"params": {}, **workload} for workload in draft["workloads"]]
        targets = [vars(target) for target in targets]
        return Plan.from_dict({**draft, "workloads": workloads, "targets": targets})


def load(key: str) -> Recipe:
    """The recipe of this key. Raises PlanError naming those there are."""
    if key not in names():
        raise PlanError(f"There is no recipe {key!r}.", f"Known: {', '.join(names())}.")
    data = tomllib.loads((FOLDER / f"{key}.toml").read_text())
    return Recipe(key, data["title"], data["says"], tuple(data["claims"]), data["plan"])


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def every() -> list[Recipe]:
    return [load(key) for key in names()]


def _parsed(name: str, value: str) -> Any:
    """One override as the plan's type. Raises PlanError with what is allowed."""
    try:
        if name == "threads":
            return [int(part) for part in value.split(",")]
        if name in NUMBERS:
            return int(value)
        if name == "load_s":
            return float(value)
    except ValueError as wrong:
        raise PlanError(f"{name}={value!r} is not a whole number.", "Write for example threads=1,8,32.") from wrong
    if name in TEXTS:
        return TEXTS[name](value)
    known = ("threads", *NUMBERS, *TEXTS)
    raise PlanError(f"A recipe has no {name!r} to set.", f"Known: {', '.join(known)}.")
