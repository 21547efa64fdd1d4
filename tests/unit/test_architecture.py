"""The rooms of the house, complete: which modules a room holds, which rooms and which libraries they may import.

A room may import itself and the rooms it names; each of them stands above it in the table, so no import leads upwards
and no two rooms import each other. A module in no room fails, and so does a library that its room does not name.
The picture is in docs/architecture.md."""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.walks import report

PROJECT = Path(__file__).resolve().parents[2]
OURS = ("workers", "dashboard")


@dataclass(frozen=True)
class Room:
    """`holds`: modules and packages; `*` stands for one name, and the longest match counts. `imports`: other rooms.
    `libraries`: everything that is neither ours nor Python's, `without` these parts of them."""

    holds: tuple[str, ...]
    imports: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


MEASURING = ("errors", "host", "toml", "analysis", "servers", "metrics", "sandbox", "crash", "bench")
REQUESTS = ("django.forms", "django.http", "django.shortcuts", "django.template", "django.views")
LOW = (*MEASURING, "installation", "queue")
WEB = ("a2wsgi", "allauth", "asgiref", "csp", "django", "ninja", "pydantic", "uvicorn", "whitenoise")

ROOMS = {
    # measuring: no Django, no database, no Celery, no Redis
    "errors": Room(("workers.errors",)),
    "host": Room(("workers.host",), ("errors",)),
    "toml": Room(("workers.toml",), ("errors",)),
    "analysis": Room(("workers.analysis",), ("errors",), ("numpy", "scipy")),
    "servers": Room(("workers.servers",), ("errors", "host", "toml"), ("pymysql",)),
    "metrics": Room(("workers.metrics",), ("errors", "host", "servers"), ("numpy",)),
    "sandbox": Room(("workers.sandbox",), ("errors", "host", "toml", "servers", "metrics")),
    "crash": Room(("workers.crash",), ("errors", "host", "servers", "sandbox"), ("numpy",)),
    "bench": Room(
        ("workers.bench",),
        ("errors", "host", "toml", "analysis", "servers", "metrics", "sandbox", "crash"),
        ("cryptography", "pymysql"),
    ),
    # where the installation keeps things; how a task is sent to a worker
    "installation": Room(
        (
            "dashboard.database",
            "dashboard.home",
            "dashboard.log_lines",
            "dashboard.nul",
            "dashboard.retry",
            "dashboard.usable",
            "dashboard.version",
        ),
        ("errors",),
        ("django", "psycopg"),
    ),
    "queue": Room(
        ("dashboard.fleet.site_names", "dashboard.fleet.task_queue", "workers.celery", "workers.celery_config"),
        ("errors", "installation"),
        ("celery", "django", "kombu", "redis"),
    ),
    # what is stored, and what may happen to it: no request
    "records": Room(
        (
            "dashboard.accounts",
            "dashboard.audit",
            "dashboard.experiments",
            "dashboard.fleet",
            "dashboard.history",
            "dashboard.holds",
            "dashboard.notifications",
            "dashboard.numbers",
            "dashboard.schedules",
            "dashboard.servers",
            "dashboard.sharing",
            "dashboard.words",
        ),
        LOW,
        ("allauth", "cronsim", "cryptography", "django", "numpy", "pydantic", "redis"),  # allauth: its second factors
        REQUESTS,
    ),
    # values and sentences worked out from records; the rounds that note what was found night by night
    "findings": Room(("dashboard.findings",), (*LOW, "records"), ("django", "numpy"), REQUESTS),
    "history": Room(
        (
            "dashboard.history.again",
            "dashboard.history.changes",
            "dashboard.history.entries",
            "dashboard.history.news",
            "dashboard.history.update",
        ),
        (*LOW, "records", "findings"),
        ("django",),
        REQUESTS,
    ),
    # what people and programs see
    "charts": Room(("dashboard.charts",), (*LOW, "records", "findings"), ("numpy",)),
    "pages": Room(
        (
            "dashboard.*.apps",
            "dashboard.*.forms",
            "dashboard.*.page",
            "dashboard.*.templatetags",
            "dashboard.*.urls",
            "dashboard.*.views",
            "dashboard.accounts.adapter",
            "dashboard.accounts.backend",
            "dashboard.accounts.confirmed",
            "dashboard.accounts.gate",
            "dashboard.accounts.people",
            "dashboard.accounts.people_urls",
            "dashboard.accounts.refusals",
            "dashboard.accounts.sessions",
            "dashboard.accounts.sign_on",
            "dashboard.accounts.signals",
            "dashboard.accounts.throttle",
            "dashboard.api",
            "dashboard.asgi",
            "dashboard.audit.files",
            "dashboard.bundles",
            "dashboard.collected",
            "dashboard.experiments.care_forms",
            "dashboard.experiments.care_views",
            "dashboard.experiments.plan_inputs",
            "dashboard.experiments.list_page",
            "dashboard.forwarded",
            "dashboard.front",
            "dashboard.help",
            "dashboard.monitoring",
            "dashboard.portable",
            "dashboard.reproduction",
            "dashboard.results",
            "dashboard.servers.expendable",
            "dashboard.settings",
            "dashboard.sharing.asked",
            "dashboard.sharing.comparisons",
            "dashboard.sharing.counting",
            "dashboard.sharing.embedding",
            "dashboard.sharing.glance",
            "dashboard.sharing.kept",
            "dashboard.sharing.limit",
            "dashboard.sharing.opened",
            "dashboard.urls",
        ),
        (*LOW, "records", "findings", "charts"),
        WEB,
    ),
    # programs that a person starts
    "commands": Room(
        ("dashboard.*.management", "dashboard.local"),
        (*LOW, "records", "findings", "history", "charts", "pages"),
        ("django", "redis"),
    ),
    # processes
    "upkeep": Room(("workers.upkeep",), (*LOW, "records", "findings"), ("celery", "django", "kombu", "redis")),
    "together": Room(("workers.together",), (*LOW, "records", "findings", "upkeep"), ("django", "redis")),
    "conducting": Room(
        ("workers.conducting",), (*LOW, "records", "findings", "upkeep", "together"), ("django", "numpy")
    ),
    "tasks": Room(
        ("workers.tasks",),
        (*LOW, "records", "findings", "history", "upkeep", "together", "conducting"),
        ("celery", "django"),
    ),
    # processes too: `experiment run` measures without Celery, Redis and workers; `worker` starts a worker
    "command line": Room(
        ("dashboard.experiments.management.commands.experiment", "dashboard.fleet.management.commands.worker"),
        (*LOW, "records", "findings", "pages", "upkeep", "conducting"),
        ("django",),
    ),
}


def room_of(module: str) -> list[str]:
    """The rooms whose longest entry matches; exactly one when the table is right."""
    held = [(_match(place, module), name) for name, room in ROOMS.items() for place in room.holds]
    best = max(length for length, _ in held)
    return [name for length, name in held if length == best and length]


def _match(place: str, module: str) -> tuple[int, int] | tuple[()]:
    """How well an entry matches, more names first, then fewer stars; empty when it does not."""
    wanted, given = place.split("."), module.split(".")
    fits = len(wanted) <= len(given) and all(one in ("*", two) for one, two in zip(wanted, given, strict=False))
    return (len(wanted), -wanted.count("*")) if fits else ()


def modules(root: Path) -> dict[str, Path]:
    found = {}
    for path in sorted(path for ours in OURS for path in (root / ours).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """Full names of the modules that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = node.module or "."  # "." is in no room: imports are absolute
            full = (f"{package}.{alias.name}" for alias in node.names)
            yield from (name if name in known else package for name in full)


def offenders(root: Path) -> list[str]:
    known = modules(root)
    return [f"{name}: {wrong}" for name, path in known.items() for wrong in _wrong(name, path, known)]


def _wrong(module: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    if module in OURS:  # the two folders themselves hold no code
        yield from (f"imports {name}" for name in imports(path, known))
        return
    rooms = room_of(module)
    if len(rooms) != 1:
        yield f"is in {' and '.join(rooms) or 'no room'}"
        return
    room = ROOMS[rooms[0]]
    for name in sorted(set(imports(path, known))):
        library = name.partition(".")[0]
        if library in OURS:
            if not set(room_of(name)) & {rooms[0], *room.imports}:
                yield f"{rooms[0]} imports {name}"
        elif _is_or_holds(name, room.without) or library not in sys.stdlib_module_names | set(room.libraries):
            yield f"{rooms[0]} imports {name}"


def _is_or_holds(name: str, parts: tuple[str, ...]) -> bool:
    return any(name == part or name.startswith(f"{part}.") for part in parts)


def test_every_module_is_in_one_room_and_imports_only_what_the_room_may():
    report(offenders(PROJECT))


def test_rooms_only_import_rooms_above_them():
    names = list(ROOMS)
    report(f"{name}: {one}" for name in names for one in ROOMS[name].imports if one not in names[: names.index(name)])


def test_every_entry_of_the_table_holds_something():
    known = modules(PROJECT)
    places = [place for room in ROOMS.values() for place in room.holds]
    report(place for place in places if not any(_match(place, module) for module in known))


def test_where_to_look_names_files_that_exist_and_at_most_eight():
    page = (PROJECT / "docs/architecture.md").read_text().partition("## Where to look")[2].partition("\n## ")[0]
    rows = {line: re.findall(r"`([\w/]+\.\w+)`", line) for line in page.splitlines() if "?" in line}
    assert len(rows) == 5
    report(f"{len(files)} files: {line[:60]}" for line, files in rows.items() if not 0 < len(files) <= 8)
    report(file for files in rows.values() for file in files if not (PROJECT / file).exists())


@pytest.mark.parametrize(
    ("module", "source", "told"),
    [
        ("workers.servers.guilty", "from workers.crash import trial", "servers imports workers.crash.trial"),
        ("workers.servers.guilty", "def f():\n    import redis.client", "servers imports redis.client"),
        ("workers.servers.guilty", "from . import target", "servers imports ."),
        ("workers.upkeep.guilty", "import workers.tasks", "upkeep imports workers.tasks"),
        ("dashboard.servers.guilty", "from workers.conducting import conduct", "records imports workers.conducting"),
        ("dashboard.servers.guilty", "from celery import app", "records imports celery"),
        ("workers.loose", "", "is in no room"),
        ("dashboard.servers.guilty", "from django.http import Http404", "records imports django.http"),
        ("dashboard.newcomer.guilty", "", "is in no room"),
        ("workers", "import django", "imports django"),
    ],
)
def test_a_module_that_breaks_in_is_named(tmp_path, module, source, told):
    """The check itself, seen to fail."""
    for ours in OURS:
        (tmp_path / ours).mkdir()
    (tmp_path / "workers/crash").mkdir()
    (tmp_path / "workers/crash/trial.py").touch()
    name = f"{module.replace('.', '/')}.py" if "." in module else f"{module}/__init__.py"
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(source)
    assert any(one.startswith(f"{module}: ") and told in one for one in offenders(tmp_path)), offenders(tmp_path)
