"""What the walks rest on: every offender is named, and no step leaves a trace."""

import pytest
from django.contrib.auth.models import User

from tests.walks import report, undone


def test_every_offender_is_named():
    with pytest.raises(pytest.fail.Exception, match="2 offend:\n/a: 200\n/b: 404"):
        report(f"{path}: {status}" for path, status in (("/a", 200), ("/b", 404)))


def test_a_walk_without_offenders_passes():
    report([])


@pytest.mark.django_db
def test_a_step_leaves_no_trace():
    with undone():
        User.objects.create_user("somebody")
        assert User.objects.count() == 1
    assert User.objects.count() == 0
