"""manage.py crashpoints histories: every state of a small history, from the command line."""

from io import StringIO

import pytest
from django.core.management import call_command

from tests.real.disks import needs_disk

pytestmark = [needs_disk, pytest.mark.usefixtures("leaves_nothing")]


def histories(*said):
    out, status = StringIO(), 0
    try:
        call_command("crashpoints", "histories", "--only", "autocommit", *said, stdout=out, stderr=out)
    except SystemExit as ended:
        status = ended.code
    return status, out.getvalue()


def test_all_states_recover_right_at_1_1(sandbox_root, settings):
    settings.SANDBOX_ROOT = str(sandbox_root)
    status, said = histories()
    assert status == 0, said
    assert said.splitlines()[-1].startswith("All ") and "states of 1 history recover right on " in said


def test_an_unflushed_binlog_is_told_with_its_states(sandbox_root, settings):
    """The positive control."""
    settings.SANDBOX_ROOT = str(sandbox_root)
    status, said = histories("--set", "sync_binlog=0")
    assert status == 1, said
    assert "transactions in the binlog instead of" in said and "recover wrong on" in said
