"""The first experiment of each recipe in an empty folder of sandboxes: neither servers nor loaded data are kept yet.

A recipe takes part with the topologies and devices that no recipe before it has: all of them would take minutes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from dashboard.records.experiments import actions
from dashboard.records.experiments.models import Experiment
from dashboard.records.servers.models import Server
from workers.bench import recipes
from workers.bench.plan import Plan, Variant
from workers.bench.recipes import Recipe
from workers.conducting import stages
from workers.conducting.conduct import conduct
from workers.errors import PlanError, SandboxError
from workers.sandbox import owner, untrusted
from workers.sandbox.builds import find
from workers.sandbox.devices import require_disks
from workers.topology.faults import FAULTS
from workers.topology.kinds import require_topology

SYSTEM = "system-mariadb"
SHORTEST = {
    "threads": "1",
    "repeats": "1",
    "warmup_s": "0",
    "measure_s": "1",
    "table_rows": "100",
    "seed": "1",
    "trials": "1",
    "control_trials": "0",
    "clients": "2",
    "load_s": "0.2",
    "points": "1",
}


@dataclass(frozen=True)
class FirstRun:
    """A variant of a recipe, and the crash that follows its load; "": none."""

    recipe: Recipe
    variant: Variant
    kind: str

    def __str__(self) -> str:
        return f"{self.recipe.key}, {self.variant.name}"

    def plan(self, server: Server) -> Plan:
        plan = actions.plan_recipe(self.recipe, [server], SHORTEST)
        kinds, trials = ((self.kind,), 1) if self.kind else ((), 0)
        return replace(
            plan,
            variants=(self.variant,),
            workloads=plan.workloads[:1],
            crash=replace(plan.crash, kinds=kinds, trials=trials),
            baseline="",
            main_variant="",
            main_threads=0,
        )

    def must_be_possible(self) -> None:
        """Raises PlanError or SandboxError."""
        if self.variant.storage:
            require_disks()
        if self.variant.topology:
            require_topology(str(self), self.variant.topology, find(SYSTEM))


def first_runs() -> Iterator[FirstRun]:
    seen: set[tuple[str, ...]] = set()
    for recipe in recipes.shelf().recipes.values():
        plan = recipe.plan([])
        for variant in (one for one in plan.variants if one.build in ("", SYSTEM)):
            topology = variant.topology.partition("+")[0]
            place = (topology, "device" if variant.storage else "", variant.storage.partition("+")[2])
            kinds = [kind for kind in plan.crash.kinds if (kind in FAULTS) == bool(topology)]
            is_first_crash = bool(kinds) and (topology,) not in seen
            if place not in seen or is_first_crash:
                yield FirstRun(recipe, variant, kinds[0] if is_first_crash else "")
            seen |= {place, (topology,)} if kinds else {place}


FIRST_RUNS = tuple(first_runs())


@pytest.fixture
def fresh_server(transactional_db, settings, sandbox_root):
    """Its sandboxes are made in a folder of their own, which is empty."""
    root = sandbox_root / "fresh"
    owner.enterable(root)
    settings.SANDBOX_ROOT = str(root)
    yield Server.objects.create(name="Sandbox", kind="sandbox", build=SYSTEM)
    untrusted.remove_tree(root)


@pytest.mark.parametrize("first", FIRST_RUNS, ids=str)
def test_a_first_run_ends_as_a_later_one(first, fresh_server, worker, monkeypatch):
    """The device is not timed: that takes longer than all else."""
    try:
        first.must_be_possible()
    except (PlanError, SandboxError) as lacking:
        pytest.skip(str(lacking))
    monkeypatch.setattr(stages, "device_times", lambda *_: {})
    experiment = actions.create(first.plan(fresh_server), None, recipe=first.recipe.key)
    conduct(experiment.pk, worker)
    experiment.refresh_from_db()
    rows = [*experiment.cells.all(), *experiment.trials.all()]
    assert [one.error for one in (experiment, *rows) if one.error] == []
    assert experiment.state == Experiment.State.DONE
