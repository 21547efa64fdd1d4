"""The house's walls: the domain knows no Django, Celery or Redis; the dashboard talks to no target server."""

import ast
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
DOMAIN = ("bench", "servers", "metrics", "sandbox", "crash", "analysis")
SHELL = ("django", "celery", "redis", "kombu", "dashboard")


def imports(path: Path) -> set[str]:
    """Full names of everything that a module imports, wherever in the module."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def strangers(path: Path, forbidden: tuple[str, ...]) -> set[str]:
    return {name for name in imports(path) for wall in forbidden if name == wall or name.startswith(f"{wall}.")}


DOMAIN_FILES = [path for package in DOMAIN for path in (PROJECT / "workers" / package).rglob("*.py")]
DASHBOARD_FILES = list((PROJECT / "dashboard").rglob("*.py"))


@pytest.mark.parametrize("path", DOMAIN_FILES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_the_domain_knows_no_framework(path):
    shell = tuple(f"workers.{name}" for name in ("celery", "tasks", "store", "progress", "conduct", "pulse", "tend"))
    assert strangers(path, SHELL + shell) == set()


@pytest.mark.parametrize("path", DASHBOARD_FILES, ids=lambda path: str(path.relative_to(PROJECT)))
def test_the_dashboard_opens_no_connection_to_a_server(path):
    forbidden = ("pymysql", "workers.servers.connection", "workers.sandbox.server", "workers.bench.sysbench")
    if path.name == "experiment.py" and path.parent.name == "commands":
        forbidden = forbidden[:1]  # the command line measures in its own process, through workers.conduct
    assert strangers(path, forbidden) == set()


def test_the_walls_are_seen(tmp_path):
    """The detector itself: a module that breaks in is found."""
    guilty = tmp_path / "guilty.py"
    guilty.write_text("def f():\n    from django.db import models\n    import pymysql.cursors\n")
    assert strangers(guilty, ("django", "pymysql")) == {"django.db", "django.db.models", "pymysql.cursors"}
