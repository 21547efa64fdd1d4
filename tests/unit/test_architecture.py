"""The house's walls: the domain knows no Django, Celery or Redis; the dashboard talks to no target server."""

import ast
from pathlib import Path

from tests.walks import report

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


def offenders(paths, forbidden):
    return [f"{path.relative_to(PROJECT)}: {found}" for path in paths if (found := sorted(strangers(path, forbidden)))]


def test_the_domain_knows_no_framework():
    shell = tuple(f"workers.{name}" for name in ("celery", "tasks", "store", "progress", "conduct", "pulse", "tend"))
    report(offenders(DOMAIN_FILES, SHELL + shell))


def test_the_dashboard_opens_no_connection_to_a_server():
    servers = ("workers.servers.connection", "workers.sandbox.server", "workers.bench.sysbench")
    # the command line measures in its own process, through workers.conducting.conduct
    free = PROJECT / "dashboard/experiments/management/commands/experiment.py"
    report(offenders(DASHBOARD_FILES, ("pymysql",)) + offenders(set(DASHBOARD_FILES) - {free}, servers))


def test_the_walls_are_seen(tmp_path):
    """The detector itself: a module that breaks in is found."""
    guilty = tmp_path / "guilty.py"
    guilty.write_text("def f():\n    from django.db import models\n    import pymysql.cursors\n")
    assert strangers(guilty, ("django", "pymysql")) == {"django.db", "django.db.models", "pymysql.cursors"}
