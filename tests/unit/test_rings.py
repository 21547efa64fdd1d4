"""The rings of the tests, see docs/contributing/development.md."""

import re

from dashboard.installation.home import PROJECT

PURE = re.search(r"^PURE=\(tests/unit/\{([\w,]+)\}\)$", (PROJECT / "scripts/test").read_text(), re.MULTILINE)


def test_a_pure_test_asks_no_database(request):
    """The build leaves the folders of pure out where it runs the tests that ask the database. Looks at the tests that
    were collected with this one."""
    folders = [PROJECT / "tests/unit" / name for name in PURE[1].split(",")]
    asking = [item for item in request.session.items if item.get_closest_marker("database")]
    assert [item.nodeid for item in asking if set(folders) & set(item.path.parents)] == []
