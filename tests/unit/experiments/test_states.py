"""Which state may follow which: everything that the product does to an experiment, a cell, a trial or a part is tried
from every state and compared with the table."""

import ast
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import get_args

import pytest
from django.utils import timezone

from dashboard.portable import shape
from dashboard.records.experiments import actions, claiming, lifecycle, states, storing_runs, storing_trials
from dashboard.records.experiments.models import Cell, Experiment, Part, Trial
from dashboard.records.experiments.states import FOLLOWS, LOAD_OVER, OPEN, OVER, UNDER_WAY, before, move
from dashboard.records.fleet import task_queue
from tests.unit.conducting import experiments as make
from tests.walks import report, undone
from workers.bench.load import LoadResult
from workers.bench.merge import PartLoad
from workers.crash.setup_and_result import TrialResult
from workers.errors import DurascopeError, PlanError
from workers.together import joiner

pytestmark = pytest.mark.django_db
MODELS = (Experiment, Cell, Trial, Part)
Act = tuple[str, Callable[..., object], dict[str, str]]  # name, what is done to a row, the changes that it makes


@pytest.fixture(autouse=True)
def nobody_is_told(monkeypatch):
    monkeypatch.setattr(task_queue, "send", lambda *_: None)


def made(model, state: str):
    """A row in this state, of an experiment that a worker holds."""
    running = make.experiment(make.attached(), cells=1)
    Experiment.objects.filter(pk=running.pk).update(state="running", claim=uuid.uuid4())
    cell, now = running.cells.get(), timezone.now()
    if model is Experiment:
        row = running
    elif model is Trial:
        cell.delete()
        row = Trial.objects.create(
            experiment=running, server=cell.server, position=0, variant="v", kind="power-loss", repeat=1, seed=1
        )
    elif model is Part:
        Cell.objects.filter(pk=cell.pk).update(state="running", started_at=now)
        row = Part.objects.create(cell=cell, attempt=now, number=1, threads=1, request={}, sysbench="1")
    else:
        row = cell
    model.objects.filter(pk=row.pk).update(state=state, **({"started_at": now} if model in (Cell, Trial) else {}))
    return model.objects.get(pk=row.pk)


def end_of(experiment: Experiment) -> None:
    """The experiment is over, its rows are as they were."""
    Experiment.objects.filter(pk=experiment.pk).update(state="interrupted")


def release(row: Cell | Trial) -> None:
    end_of(row.experiment)
    actions.queue_unfinished(row.experiment)


def save_run(cell: Cell) -> None:
    storing_runs.save_run(cell, make.measurement(), make.environment(), None)


def save_trial(trial: Trial) -> None:
    storing_trials.save(trial, TrialResult(verdict="valid"), make.environment())


def take(part: Part) -> None:
    joiner.claim(part.pk, make.worker(), timezone.now())


def save_part(part: Part) -> None:
    joiner.save(part, PartLoad("", 0.0, 0.0, LoadResult((), 1, 1, 1.0, (), (), 1.0, 1.0, 0, "")))


def finishes(state: str) -> Act:
    return (f"finish as {state}", lambda row: lifecycle.finish(row, state), {"running": state})


def ends(state: str) -> Act:
    return (f"end as {state}", lambda row: claiming.end(row, state), {"running": state})


CELL_ACTS: list[Act] = [
    ("claim", lambda row: claiming.claim(type(row).objects.filter(pk=row.pk), row.experiment), {"waiting": "running"}),
    ("cancel what waits", lambda row: actions.cancel_waiting(row.experiment), {"waiting": "cancelled"}),
    ("its experiment ends", lambda row: lifecycle.finish(row.experiment, "failed"), {"running": "interrupted"}),
    ("resume", release, dict.fromkeys(("failed", "cancelled", "interrupted"), "waiting")),
    *map(ends, ("failed", "cancelled", "interrupted")),
]
ACTS: dict[type, list[Act]] = {
    Experiment: [
        ("begin", lambda row: lifecycle.begin(row.pk, make.worker(), ["db"]), {"queued": "running"}),
        ("refuse", lambda row: lifecycle.refuse(row.pk, DurascopeError("no")), {"queued": "failed"}),
        ("cancel", lambda row: actions.cancel(row, None), {"queued": "cancelled"}),
        ("resume", actions.queue_unfinished, dict.fromkeys(OVER, "queued")),
        ("repeat a trial", actions.queue_again, dict.fromkeys(OVER, "queued")),
        *map(finishes, OVER),
    ],
    Cell: [*CELL_ACTS, ("measured", save_run, {"running": "done"})],
    Trial: [*CELL_ACTS, ("crashed", save_trial, {"running": "done"})],
    Part: [
        ("take", take, {"waiting": "taken"}),
        ("save", save_part, {"running": "done"}),
        ("all are ready", lambda row: move(type(row).objects.filter(pk=row.pk), "ready"), {"taken": "ready"}),
        ("the barrier opens", lambda row: move(type(row).objects.filter(pk=row.pk), "running"), {"ready": "running"}),
        (
            "dismiss",
            lambda row: move(type(row).objects.filter(pk=row.pk), "stopping"),
            dict.fromkeys(("taken", "ready", "running"), "stopping"),
        ),
        (
            "fail",
            lambda row: move(type(row).objects.filter(pk=row.pk), "failed"),
            dict.fromkeys(("waiting", "taken", "ready", "running", "stopping"), "failed"),
        ),
    ],
}


def table(model) -> set[tuple[str, str]]:
    return {(str(one), str(later)) for one, follow in FOLLOWS[model.__name__].items() for later in follow}


def wrong(model) -> Iterator[str]:
    """Where the product and the table disagree."""
    done = set()
    with undone():
        pk = made(model, model.State.values[0]).pk
        for name, act, changes in ACTS[model]:
            done |= set(changes.items())
            for state in model.State.values:
                with undone():
                    after = tried(model, pk, act, state)
                if after != changes.get(state, state):
                    yield f"{model.__name__}: {name}: {state} became {after}"
    yield from (f"{model.__name__}: nothing makes {one} {other}" for one, other in table(model) - done)


def tried(model, pk: int, act: Callable[..., object], state: str) -> str:
    """The state of the row after the act, from this state."""
    model.objects.filter(pk=pk).update(state=state)
    with suppress(PlanError):
        act(model.objects.get(pk=pk))
    return model.objects.get(pk=pk).state


@pytest.mark.parametrize("model", MODELS)
def test_the_product_makes_every_change_of_the_table_and_no_other(model):
    report(wrong(model))


@pytest.mark.parametrize("model", MODELS)
def test_a_broken_table_is_noticed(model, monkeypatch):
    """The control of the walk: what follows a state is left out, then a state follows that must not."""
    for state, follow in [*FOLLOWS[model.__name__].items()][:2]:
        impossible = next(one for one in model.State if one not in (*follow, state))
        for broken in ((), (*follow, impossible)):
            with monkeypatch.context() as patch:
                patch.setitem(FOLLOWS[model.__name__], state, broken)
                assert next(wrong(model), ""), f"{model.__name__}: {state} -> {broken}"


@pytest.mark.parametrize("model", MODELS)
def test_every_pair_is_written_or_refused_as_the_table_says(model):
    row, every = made(model, model.State.values[0]), model.State.values
    offenders = []
    for one, other in ((one, other) for one in every for other in every):
        model.objects.filter(pk=row.pk).update(state=one)
        changed = move(model.objects.filter(pk=row.pk), other)
        expected = (1, other) if (one, other) in table(model) else (0, one)
        if (changed, model.objects.get(pk=row.pk).state) != expected:
            offenders.append(f"{one} -> {other}")
    report(offenders)


def test_every_state_is_in_one_group_each():
    assert sorted((*UNDER_WAY, *OVER)) == sorted(Experiment.State)
    assert sorted((*OPEN, *states.ENDED)) == sorted(Cell.State)
    assert {one for one, follow in FOLLOWS["Part"].items() if not follow} == set(LOAD_OVER)
    assert before(Experiment, "queued") == list(OVER), "what is over may be resumed, and nothing else"


def test_a_file_holds_what_is_over_and_nothing_that_runs():
    assert set(get_args(shape.Over)) == set(OVER)
    assert set(get_args(shape.State)) == set(Cell.State) - {Cell.State.RUNNING}


OWN_STATES = ("Preflight", "Delivery", "Night", "Change", "ShareLink")  # models that are not of this table


def writes_of_states(root: Path) -> Iterator[str]:
    """Calls of update(state=...) outside the table's own module, in files that know one of its models."""
    for path in sorted((*root.glob("dashboard/**/*.py"), *root.glob("workers/**/*.py"))):
        text = path.read_text()
        if path.name == "states.py" or not any(f"{model.__name__}" in text for model in MODELS):
            continue
        for node in ast.walk(ast.parse(text)):
            named = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "update"
            if named and any(keyword.arg == "state" for keyword in node.keywords):
                said = ast.unparse(node)
                if not any(f"{own}.State" in said for own in OWN_STATES):
                    yield f"{path.relative_to(root)}:{node.lineno}: {said[:80]}"


def test_no_other_file_writes_a_state(tmp_path):
    report(writes_of_states(Path(__file__).parents[3]))
    (tmp_path / "workers").mkdir()
    (tmp_path / "workers" / "bad.py").write_text("Cell.objects.filter(pk=1).update(state='done')\n")
    assert list(writes_of_states(tmp_path)), "the control of this test"
