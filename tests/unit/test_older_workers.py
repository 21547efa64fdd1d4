"""While an installation is upgraded, workers of the newest released version write to the new tables for a while. So a
migration after a release may not take away what they use, nor add a column that they would have to fill."""

import re
import subprocess
from importlib import import_module
from pathlib import Path

import pytest
from django.db import models
from django.db.migrations import operations as change

from tests.walks import report

PROJECT = Path(__file__).resolve().parents[2]
# Migrations that need all workers stopped. CHANGELOG.md says so at their version.
STOPS_WORKERS: frozenset[str] = frozenset()
TAKEN_AWAY = (change.RemoveField, change.RenameField, change.RenameModel, change.DeleteModel, change.AlterModelTable)


def released() -> set[str]:
    """The migrations of the newest tagged version; of a clone without tags, all."""
    present = {str(path.relative_to(PROJECT)) for path in PROJECT.glob("dashboard/records/*/migrations/0*.py")}
    tags = [tag for tag in git("tag", "--sort=version:refname") if re.fullmatch(r"v\d+\.\d+\.\d+", tag)]
    return set(git("ls-tree", "-r", "--name-only", tags[-1], "dashboard/records")) if tags else present


def git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=PROJECT, capture_output=True, text=True)
    return done.stdout.splitlines()


def stops(operation: change.base.Operation) -> bool:
    """Whether an older worker could fail after it."""
    if isinstance(operation, change.AddField):
        field = operation.field
        return not (field.many_to_many or field.null or field.has_db_default())
    return isinstance(operation, TAKEN_AWAY)


def test_a_migration_after_a_release_leaves_its_workers_able_to_write():
    new = {str(path.relative_to(PROJECT)) for path in PROJECT.glob("dashboard/records/*/migrations/0*.py")} - released()
    found = {name: import_module(name.removesuffix(".py").replace("/", ".")).Migration for name in sorted(new)}
    report(
        f"{name}: {one.describe()}. Give a new column null=True or db_default, or stop all workers (STOPS_WORKERS)."
        for name, migration in found.items()
        for one in migration.operations
        if name not in STOPS_WORKERS and stops(one)
    )


@pytest.mark.parametrize(
    ("operation", "stopped"),
    [
        (change.AddField("run", "x", models.IntegerField(default=0)), True),
        (change.AddField("run", "x", models.IntegerField(null=True)), False),
        (change.AddField("run", "x", models.IntegerField(db_default=0)), False),
        (change.RemoveField("run", "tps"), True),
        (change.RenameField("run", "tps", "rate"), True),
        (change.DeleteModel("run"), True),
        (change.CreateModel("new", []), False),
        (change.RunPython(change.RunPython.noop), False),
    ],
)
def test_the_check_itself(operation, stopped):
    assert stops(operation) is stopped
