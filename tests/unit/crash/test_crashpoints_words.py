"""manage.py crashpoints: what it refuses before it makes a server."""

from io import StringIO

import pytest
from django.core.management import call_command


def refused(*said: str) -> str:
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("crashpoints", "histories", *said, stdout=out, stderr=out)
    assert ended.value.code == 2
    return out.getvalue()


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("--only", "no such"), "There is no history 'no such'. Known: autocommit, several rows"),
        (("--set", "sync_binlog"), "--set 'sync_binlog' is not NAME=VALUE"),
        (("--build", "no-such-build"), "no-such-build"),
    ],
)
def test_bad_input_is_refused_with_a_reason(asked, told):
    assert told in refused(*asked)


def test_a_replica_is_refused_without_points():
    out = StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("crashpoints", "replica", "--points", "0", stdout=out, stderr=out)
    assert ended.value.code == 2 and "--points is at least 1" in out.getvalue()
