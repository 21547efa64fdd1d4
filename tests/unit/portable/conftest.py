"""The file of an experiment, made once for all tests of files."""

import pytest

from dashboard.portable.write import file_of
from tests.unit.portable import files
from tests.walks import undone


@pytest.fixture(scope="session")
def file(django_db_setup, django_db_blocker) -> bytes:
    """The database does not hold its experiment: what was written to make it is undone."""
    with django_db_blocker.unblock(), undone():
        return file_of(files.experiment())
