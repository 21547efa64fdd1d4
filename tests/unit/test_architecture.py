"""The rooms of the house, complete: which modules a room holds, which rooms and which libraries they may import.

A room may import itself and the rooms it names; each of them stands above it in the table, so no import leads upwards
and no two rooms import each other. A module in no room fails, and so does a library that its room does not name.
The picture is in docs/contributing/architecture.md."""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.walks import report

PROJECT = Path(__file__).resolve().parents[2]
OURS = ("workers", "dashboard")


@dataclass(frozen=True)
class Room:
    """`holds`: modules and packages; the longest match counts. `imports`: other rooms.
    `libraries`: everything that is neither ours nor Python's, `without` these parts of them."""

    holds: tuple[str, ...]
    imports: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


MEASURING = (
    "errors",
    "host",
    "toml",
    "transaction",
    "analysis",
    "servers",
    "guardrails",
    "metrics",
    "sandbox",
    "crash",
    "topology",
    "bench",
)
REQUESTS = ("django.forms", "django.http", "django.shortcuts", "django.template", "django.views")
LOW = (*MEASURING, "installation", "queue", "text")
WEB = ("a2wsgi", "allauth", "asgiref", "csp", "django", "ninja", "pydantic", "uvicorn", "whitenoise")

ROOMS = {
    # measuring: no Django, no database, no Celery, no Redis
    "errors": Room(("workers.errors",)),
    "host": Room(("workers.host",), ("errors",)),
    "toml": Room(("workers.toml",), ("errors",)),
    "transaction": Room(("workers.transaction",), ("errors", "toml")),
    "analysis": Room(("workers.analysis",), ("errors",), ("numpy", "scipy")),
    "servers": Room(("workers.servers",), ("errors", "host", "toml"), ("cryptography", "pymysql")),
    "guardrails": Room(("workers.guardrails",), ("errors", "servers")),
    "metrics": Room(("workers.metrics",), ("errors", "host", "toml", "servers"), ("numpy",)),
    "sandbox": Room(("workers.sandbox",), ("errors", "host", "toml", "servers", "metrics")),
    "crash": Room(
        ("workers.crash",), ("errors", "host", "toml", "transaction", "servers", "sandbox"), ("numpy", "zstandard")
    ),
    "topology": Room(("workers.topology",), ("errors", "host", "servers", "sandbox", "crash"), ("numpy",)),
    "bench": Room(
        ("workers.bench",),
        (
            "errors",
            "host",
            "toml",
            "transaction",
            "analysis",
            "servers",
            "guardrails",
            "metrics",
            "sandbox",
            "crash",
            "topology",
        ),
        ("cryptography", "pymysql"),
    ),
    # where the installation keeps things; how a task is sent to a worker
    "installation": Room(("dashboard.installation",), ("errors",), ("cryptography", "django", "psycopg", "pydantic")),
    "queue": Room(
        (
            "dashboard.records.fleet.redis_answers",
            "dashboard.records.fleet.site_names",
            "dashboard.records.fleet.task_queue",
            "workers.celery",
            "workers.celery_config",
        ),
        ("errors", "installation"),
        ("celery", "django", "kombu", "redis"),
    ),
    "text": Room(("dashboard.text",), ("bench",), ("django", "pydantic")),
    # what is stored, and what may happen to it: no request
    "records": Room(
        ("dashboard.records",),
        LOW,
        ("allauth", "cronsim", "cryptography", "django", "numpy", "pydantic", "redis"),  # allauth: its second factors
        REQUESTS,
    ),
    # values and sentences worked out from records; what was found night by night; an experiment as a file
    "findings": Room(("dashboard.findings",), (*LOW, "records"), ("django", "numpy", "pydantic"), REQUESTS),
    "history": Room(("dashboard.history",), (*LOW, "records", "findings"), ("django",), REQUESTS),
    "portable": Room(("dashboard.portable",), (*LOW, "records", "findings"), ("django", "pydantic"), REQUESTS),
    "backup": Room(("dashboard.backup",), (*LOW, "records"), ("cryptography", "django", "psycopg"), REQUESTS),
    # what people and programs see
    "charts": Room(("dashboard.charts",), (*LOW, "records", "findings"), ("numpy", "resvg_py")),
    "pages": Room(
        ("dashboard.asgi", "dashboard.environment", "dashboard.pages", "dashboard.settings", "dashboard.urls"),
        (*LOW, "records", "findings", "portable", "charts"),
        WEB,
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
    # programs that a person starts: the only rooms that may know both pages and processes
    "local": Room(("dashboard.local",), (*LOW, "records", "findings", "pages", "upkeep"), ("django", "redis")),
    "commands": Room(
        ("dashboard.commands",),
        (*LOW, "records", "findings", "history", "portable", "backup", "pages", "upkeep", "conducting", "local"),
        ("django",),
    ),
}

# Topics of the records, from the lowest: each imports only those before it. Tables refer to later ones by name. The
# table of servers comes before the experiments; what people do with servers asks about experiments.
TOPICS = (
    "audit", "accounts", "holds", "fleet", "notifications", "servers.models", "experiments", "servers",
    "schedules", "history", "sharing", "retention", "api",
)  # fmt: skip


def room_of(module: str) -> list[str]:
    """The rooms whose longest entry matches; exactly one when the table is right."""
    held = [
        (len(place), name) for name, room in ROOMS.items() for place in room.holds if _is_or_holds(module, (place,))
    ]
    return [name for length, name in held if length == max(held)[0]]


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
            is_ours = package.partition(".")[0] in OURS
            full = (f"{package}.{alias.name}" for alias in node.names)
            yield from (package if is_ours and name not in known else name for name in full)


def offenders(root: Path) -> list[str]:
    known = modules(root)
    return [f"{name}: {wrong}" for name, path in known.items() for wrong in _wrong(name, path, known)]


def _wrong(module: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    if module in OURS:  # the two folders themselves hold only what must be set before all else
        libraries = (name for name in imports(path, known) if name not in sys.stdlib_module_names)
        yield from (f"imports {name}" for name in libraries)
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


def level_of(module: str) -> tuple[int, str] | None:
    """Place and name of a module's topic; the longest match counts."""
    inside = module.removeprefix("dashboard.records.")
    found = [(len(topic), place, topic) for place, topic in enumerate(TOPICS) if _is_or_holds(inside, (topic,))]
    return max(found)[1:] if found else None


def against_the_order(root: Path) -> Iterator[str]:
    known = modules(root)
    for module, path in known.items():
        if not (own := level_of(module)):
            continue
        for name in sorted(set(imports(path, known))):
            if (other := level_of(name)) and other[0] > own[0]:
                yield f"{module}: {own[1]} imports {name}"


def test_topics_of_records_import_in_one_order():
    report(against_the_order(PROJECT))
    packages = {path.name for path in (PROJECT / "dashboard/records").iterdir() if (path / "__init__.py").exists()}
    assert packages == {topic for topic in TOPICS if "." not in topic}


def test_every_entry_of_the_table_holds_something():
    known = modules(PROJECT)
    places = [place for room in ROOMS.values() for place in room.holds]
    report(place for place in places if not any(_is_or_holds(module, (place,)) for module in known))


def test_no_two_test_files_have_one_name():
    """pytest imports them by name."""
    names = Counter(path.name for path in (PROJECT / "tests").rglob("test_*.py"))
    report(name for name, times in names.items() if times > 1)


def test_the_answers_to_newcomers_name_files_that_exist():
    _, *answers = (PROJECT / "docs/contributing/first-tasks.md").read_text().split("\n## ")
    files = {answer.partition("\n")[0]: re.findall(r"`([\w/.-]+/[\w.-]+\.\w+)`", answer) for answer in answers}
    assert len(files) == 5 and all(files.values())
    report(f"{title} {file}" for title, named in files.items() for file in named if not (PROJECT / file).exists())


@pytest.mark.parametrize(
    ("module", "source", "told"),
    [
        ("workers.servers.guilty", "from workers.crash import run", "servers imports workers.crash.run"),
        ("workers.servers.guilty", "def f():\n    import redis.client", "servers imports redis.client"),
        ("workers.servers.guilty", "from . import target", "servers imports ."),
        ("workers.upkeep.guilty", "import workers.tasks", "upkeep imports workers.tasks"),
        ("dashboard.records.guilty", "from workers.conducting import conduct", "records imports workers.conducting"),
        ("dashboard.records.guilty", "from celery import app", "records imports celery"),
        ("workers.loose", "", "is in no room"),
        ("dashboard.records.guilty", "from django.http import Http404", "records imports django.http"),
        ("dashboard.records.guilty", "from django import forms", "records imports django.forms"),
        ("dashboard.newcomer.guilty", "", "is in no room"),
        ("workers", "import django", "imports django"),
    ],
)
def test_a_module_that_breaks_in_is_named(tmp_path, module, source, told):
    """The check itself, seen to fail."""
    for ours in OURS:
        (tmp_path / ours).mkdir()
    (tmp_path / "workers/crash").mkdir()
    (tmp_path / "workers/crash/run.py").touch()
    name = f"{module.replace('.', '/')}.py" if "." in module else f"{module}/__init__.py"
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(source)
    assert any(one.startswith(f"{module}: ") and told in one for one in offenders(tmp_path)), offenders(tmp_path)


@pytest.mark.parametrize(
    ("module", "source", "told"),
    [
        (
            "fleet/guilty",
            "from dashboard.records.experiments.models import Cell",
            "fleet imports dashboard",
        ),
        ("servers/models", "def f():\n    from dashboard.records.servers import actions", "servers.models imports"),
        ("audit/guilty", "import dashboard.records.accounts.roles", "audit imports dashboard.records.accounts.roles"),
    ],
)
def test_a_topic_that_breaks_the_order_is_named(tmp_path, module, source, told):
    """The check itself, seen to fail."""
    for made in ("experiments/models", "servers/actions", "accounts/roles", module):
        path = tmp_path / f"dashboard/records/{made}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source if made == module else "")
    assert [one for one in against_the_order(tmp_path) if told in one], list(against_the_order(tmp_path))
