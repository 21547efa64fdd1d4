"""The demo's administrator: made once, shown again while its password is still the one that was made."""

import json
import stat

import pytest
from django.contrib.auth.models import User

from dashboard.local.login import administrator

pytestmark = pytest.mark.django_db


def test_the_demo_makes_an_administrator_with_a_password_that_works(tmp_path):
    login = administrator(tmp_path)
    assert login.user.is_superuser
    assert User.objects.get().check_password(login.password)
    assert login.password in str(login)


def test_the_demo_shows_the_same_login_at_the_second_start(tmp_path):
    assert administrator(tmp_path).password == administrator(tmp_path).password
    assert User.objects.count() == 1


def test_only_the_owner_can_read_what_it_keeps(tmp_path):
    administrator(tmp_path)
    assert stat.S_IMODE((tmp_path / "demo_login.json").stat().st_mode) == 0o600


def test_the_demo_says_how_to_reset_a_changed_password(tmp_path):
    login = administrator(tmp_path)
    login.user.set_password("another long password")
    login.user.save()
    again = administrator(tmp_path)
    assert again.password == ""
    assert "makeadmin admin --reset" in str(again)


def test_the_demo_makes_no_second_administrator(tmp_path):
    User.objects.create_superuser("ada", password="a long test password")
    assert administrator(tmp_path).user.username == "ada"
    assert not (tmp_path / "demo_login.json").exists()


@pytest.mark.parametrize("kept", ["", "{", json.dumps({"name": "somebody", "password": "x"})])
def test_a_damaged_note_is_no_harm(tmp_path, kept):
    administrator(tmp_path)
    (tmp_path / "demo_login.json").write_text(kept)
    assert administrator(tmp_path).password == ""
