"""An installation of many runs: a few experiments as a worker stores them, copied by the database itself."""

import secrets
import time
from collections.abc import Callable
from typing import Any

STEP = 1000  # between the keys of a row and of its copy: more than the rows of any table before it is copied
EXPERIMENTS, RUNS_EACH, SECONDS = 5, 100, 100
LEVELS = {"1/1": 1000.0, "2/1": 1500.0, "1/0": 1800.0, "2/0": 3000.0, "0/0": 6000.0}
THREADS = (1, 4, 16, 64, 256)


def fill(runs: int) -> None:
    """The user comes last: a folder that is kept is whole when there is one."""
    from django.contrib.auth.models import User

    from dashboard.findings import conclusion

    made = [_one(number) for number in range(EXPERIMENTS)]
    for experiment in made:
        conclusion.remember(experiment)
    _note_history()
    _copy_all(max(0, runs // (EXPERIMENTS * RUNS_EACH) - 1))
    User.objects.create_superuser("bench", password=secrets.token_urlsafe(20))


def _one(number: int) -> Any:
    from datetime import timedelta

    from dashboard.records.experiments.models import Experiment
    from tests.unit.results import factory

    server = factory.server(name=f"db{number % 3}", host=f"192.0.2.{number % 3}")
    sizes = {"threads": THREADS, "repeats": RUNS_EACH // len(LEVELS) // len(THREADS), "seconds": SECONDS}
    made = factory.experiment(LEVELS, servers=[server], name=f"Nightly {number}", **sizes)
    at = factory.STARTED + number * timedelta(hours=1)
    Experiment.objects.filter(pk=made.pk).update(created_at=at, started_at=at, ended_at=at)
    return Experiment.objects.get(pk=made.pk)


def _note_history() -> None:
    from django.utils import timezone

    from dashboard.history import update

    while not update.keep(timezone.now(), lambda _: None, round_s=3600):
        pass


def _copy_all(times: int) -> None:
    """Parents before children. A copy is a day older than the one before it, so that there is something to search."""
    from dashboard.records.experiments.models import Cell, Experiment, Run, RunEvidence, Series
    from dashboard.records.history.models import Entry, Noted

    for model, moved, older in (
        (Experiment, ("id",), ("created_at", "started_at", "ended_at")),
        (Cell, ("id", "experiment_id"), ()),
        (Run, ("id", "cell_id"), ()),
        (Series, ("run_id",), ()),
        (RunEvidence, ("run_id",), ()),
        (Entry, ("id", "experiment_id"), ("at",)),
        (Noted, ("experiment_id",), ("ended_at",)),
    ):
        took_ms = timed(lambda model=model, moved=moved, older=older: _copy(model, times, moved, older))
        print(f"{model._meta.db_table:24} {model.objects.count():9,} rows  {took_ms / 1000:6.1f} s", flush=True)
    _after_copying()


def _copy(model: Any, times: int, moved: tuple[str, ...], older: tuple[str, ...]) -> None:
    from django.db import connection

    if not times:
        return
    columns = [field.column for field in model._meta.concrete_fields]
    earlier = {
        "sqlite": "strftime('%Y-%m-%d %H:%M:%f', {0}, '-' || k || ' days')",
        "postgresql": "{0} - k * interval '1 day'",
    }
    taken = {**dict.fromkeys(moved, f"{{0}} + k * {STEP}"), **dict.fromkeys(older, earlier[connection.vendor])}
    values = ", ".join(taken.get(name, "{0}").format(f'"{name}"') for name in columns)
    names = ", ".join(f'"{name}"' for name in columns)
    table = model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f'INSERT INTO "{table}" ({names}) WITH RECURSIVE copies(k) AS (SELECT 1 UNION ALL '
            f'SELECT k + 1 FROM copies WHERE k < {times}) SELECT {values} FROM "{table}", copies'
        )


def _after_copying() -> None:
    """What the database does by itself in the long run, and what it cannot know of keys that were given."""
    from django.apps import apps
    from django.core.management.color import no_style
    from django.db import connection

    models = [model for name in ("experiments", "history") for model in apps.get_app_config(name).get_models()]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")


def timed(act: Callable[[], object]) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - began)
