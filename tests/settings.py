"""The project's settings in a home of its own, so that no test touches an installation.

The tests' own processes inherit the folder; a test that gives a process another DURASCOPE_HOME is obeyed. Where several
tests run at once (pytest -n), each of those who run them has a home, and a PostgreSQL, of its own.
TEST_DATABASE=postgresql: on a private PostgreSQL instead of SQLite, whose address the processes inherit too.
"""

import atexit
import os
import shutil
import tempfile

from tests import migrated

if os.environ.get("DURASCOPE_TESTING") != os.environ.get("PYTEST_XDIST_WORKER", "one"):
    for name in [name for name in os.environ if name.startswith("DURASCOPE_") or name == "DATABASE_URL"]:
        del os.environ[name]
    os.environ["DURASCOPE_TESTING"] = os.environ.get("PYTEST_XDIST_WORKER", "one")
    os.environ["DURASCOPE_HOME"] = tempfile.mkdtemp(prefix="durascope-test-")
    os.environ["DURASCOPE_TESTS_HOME"] = os.environ["DURASCOPE_HOME"]
    atexit.register(shutil.rmtree, os.environ["DURASCOPE_HOME"], ignore_errors=True)
    if os.environ.get("TEST_DATABASE", "sqlite") == "postgresql":
        server = migrated.private_postgresql()
        atexit.register(shutil.rmtree, server.folder, ignore_errors=True)
        atexit.register(server.stop)
        os.environ["DATABASE_URL"] = server.url(migrated.NAME)

from dashboard.settings import *  # noqa: F403

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # fast, and good enough for made-up people
IMPORT_APART = (
    False  # a process of its own sees nothing of a test's transaction; tests/real/test_import_apart.py has one
)
STATIC_ROOT.mkdir(exist_ok=True)  # noqa: F405 - WhiteNoise warns of a folder that is not there
WHITENOISE_AUTOREFRESH = True  # else each new client of a test lists all static files

# A file, not memory: tests with threads and with a real Celery worker share it, and wait for locks as in production.
ON_POSTGRESQL = "DATABASE_URL" in os.environ
given_its_own = "DURASCOPE_SQLITE" in os.environ or os.environ["DURASCOPE_HOME"] != os.environ.get(
    "DURASCOPE_TESTS_HOME"
)
if not (ON_POSTGRESQL or given_its_own):
    DATABASES["default"]["NAME"] = str(HOME / "test.sqlite3")  # noqa: F405
DATABASES["default"]["CONN_MAX_AGE"] = 0  # noqa: F405 - a test leaves no connection behind
