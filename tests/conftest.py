"""For the whole suite. (The temporary home is made in tests/settings.py, before Django reads any setting.)"""

import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.contenttypes.management import create_contenttypes
from django.core.cache import caches
from django.db import connection
from django.db.models.signals import post_migrate
from django.test import Client

from dashboard.records.audit import append_only
from tests import migrated
from tests.confirmed import confirm
from tests.examples import tried

UNIT = Path(__file__).parent / "unit"
LARGE_BYTES = 1 << 20  # of a table
pytest_plugins = ["tests.limit", "tests.longest_first", "tests.sentences"]

# Tests interrupt what they start; whoever starts them in the background of a script has all of it ignore that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples in every run that decides about a landing; new ones wherever somebody works. A busy machine is no
# reason to fail.
hypothesis.settings.register_profile("here", max_examples=tried(100), deadline=None)
hypothesis.settings.register_profile("ci", max_examples=tried(100), derandomize=True, deadline=None)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "here")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What collecting makes stays until the end of the process: the garbage collector does not look at it, neither now
    nor during the tests. This saves a fifth of the time to collect. During the tests it looks less often: they make
    many objects, few of them in cycles."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000, 50, 50)
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """`-m database`: tests that ask the database, by a mark of pytest-django's or through a fixture, unless every
    database gives the same answer (`any_database`). `-m unit`: tests of the rings pure and records."""
    for item in items:
        if UNIT in item.path.parents:
            item.add_marker("unit")
        asks = item.get_closest_marker("django_db") or {"db", "transactional_db"} & set(item.fixturenames)
        if asks and not item.get_closest_marker("any_database"):
            item.add_marker("database")


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, django_db_blocker: Any) -> None:
    """Instead of pytest-django's fixture, which migrates an empty database in each process. Tests empty their tables
    afterwards, which the audit log's triggers refuse: their own tests install them."""
    post_migrate.disconnect(create_contenttypes)  # 0.2 s after each test that empties the tables; nobody asks for them
    post_migrate.disconnect(dispatch_uid="django.contrib.auth.management.create_permissions")
    if settings.ON_POSTGRESQL:
        connection.ops.sql_flush = emptied
    else:
        migrated.sqlite(Path(settings.DATABASES["default"]["NAME"]))
    with django_db_blocker.unblock():
        append_only.remove(connection)


def emptied(style: object, tables: Sequence[str], **_: bool) -> list[str]:
    """Instead of Django's TRUNCATE, which makes new files for 55 tables and their indexes (56 ms of the server, not 2).
    Rows that were rolled back stay in the files: once those of a table are large, all files are made anew."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT max(pg_relation_size(oid)) FROM pg_class WHERE relname = ANY(%s)", [list(tables)])
        [largest] = cursor.fetchone()
    names = [connection.ops.quote_name(table) for table in tables]
    return [f"TRUNCATE {', '.join(names)}"] if largest > LARGE_BYTES else [f"DELETE FROM {name}" for name in names]


@pytest.fixture
def open_path() -> Iterator[Path]:
    """A temporary folder that other users may enter; pytest's own are closed to them."""
    folder = Path(tempfile.mkdtemp(prefix="ds-open-", dir="/var/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(autouse=True)
def forget_pages() -> None:
    """What a process remembers of shared pages and of the audit: tests use the same numbers of rows."""
    if "dashboard.findings.audit.fleet" in sys.modules:
        sys.modules["dashboard.findings.audit.fleet"]._audited.cache_clear()
    if "dashboard.pages.sharing.kept" in sys.modules:
        for name in ("shared-pages", "shared-queries", "guests"):
            caches[name].clear()


@pytest.fixture
def admin(db: None) -> User:
    return User.objects.create_superuser("admin", password="a long test password")


@pytest.fixture
def client_in(client: Client, admin: User) -> Client:
    """A browser with the administrator logged in, who confirmed a moment ago who they are."""
    client.force_login(admin)
    return confirm(client, admin)
