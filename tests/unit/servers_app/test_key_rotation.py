"""New keys for stored passwords."""

import pytest
from allauth.mfa.models import Authenticator
from django.core.management import CommandError, call_command

from dashboard.installation import vault
from dashboard.records.audit.models import Event
from dashboard.records.fleet.models import Worker
from dashboard.records.notifications.models import Channel
from dashboard.records.servers import rotation
from dashboard.records.servers.models import Server

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("DURASCOPE_HOME", str(tmp_path))


@pytest.fixture
def servers():
    made = []
    for name in ("one", "two"):
        server = Server(name=name, kind="attached", host="db", user="u")
        server.set_password(f"secret of {name}")
        server.save()
        made.append(server)
    Server.objects.create(name="box", kind="sandbox", build="system")
    return made


def passwords():
    return [vault.open_sealed(one.password_sealed) for one in Server.objects.filter(kind="attached")]


EXPECTED = ["secret of one", "secret of two"]


def test_all_passwords_are_sealed_with_one_new_key(servers):
    old = vault.keys()
    call_command("rotatekeys")
    new = vault.keys()
    assert len(new) == 1 and new != old
    assert passwords() == EXPECTED
    assert Event.objects.get(did="rotated keys").detail == {"resealed": 2, "lost": []}


def test_the_old_key_opens_nothing_any_more(servers):
    old = vault.keys()
    call_command("rotatekeys")
    vault.store(old)
    with pytest.raises(vault.KeyMissing):
        passwords()


def test_hosts_with_a_copy_of_the_old_key_are_named(servers, capsys):
    call_command("rotatekeys")
    assert "Workers on" not in capsys.readouterr().out
    Worker.objects.create(host="another", pid=1, site="west")
    call_command("rotatekeys")
    assert "Workers on another need the new key too" in capsys.readouterr().out


def test_a_rotation_can_run_twice(servers):
    call_command("rotatekeys")
    call_command("rotatekeys")
    assert passwords() == EXPECTED


@pytest.mark.parametrize("step", ["reseal", "store_last"])
def test_a_rotation_that_dies_in_the_middle_loses_nothing(servers, monkeypatch, step):
    with monkeypatch.context() as patch:
        if step == "reseal":
            patch.setattr(rotation, "reseal", lambda keys: 1 / 0)
        else:
            real, calls = vault.store, []
            patch.setattr(vault, "store", lambda keys: 1 / 0 if calls else (calls.append(1), real(keys)))
        with pytest.raises(ZeroDivisionError):
            call_command("rotatekeys")
    assert passwords() == EXPECTED
    call_command("rotatekeys")
    assert len(vault.keys()) == 1
    assert passwords() == EXPECTED


def test_nothing_is_sealed_anew_when_one_row_cannot_be_stored(servers, monkeypatch):
    before = list(Server.objects.values_list("password_sealed", flat=True))
    real = Server.save

    def save(self, **options):
        if self.name == "two":
            raise OSError("disk full")
        real(self, **options)

    monkeypatch.setattr(Server, "save", save)
    with pytest.raises(OSError, match="disk full"):
        rotation.rotate_file()
    assert list(Server.objects.values_list("password_sealed", flat=True)) == before
    assert passwords() == EXPECTED


def test_the_old_keys_are_kept_while_a_password_cannot_be_opened(servers):
    old = vault.keys()
    Server.objects.filter(name="two").update(password_sealed=b"sealed elsewhere")
    with pytest.raises(CommandError, match="two"):
        call_command("rotatekeys")
    assert vault.keys()[1:] == old
    assert vault.open_sealed(Server.objects.get(name="one").password_sealed) == "secret of one"


def test_a_broken_key_file_stops_the_rotation(servers, tmp_path):
    (tmp_path / vault.NAME).write_text("broken\n")
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("rotatekeys")
    assert (tmp_path / vault.NAME).read_text() == "broken\n"


def test_a_broken_key_in_the_environment_stops_the_rotation(servers, monkeypatch, capsys):
    monkeypatch.setenv(vault.ENVIRONMENT, "no-key")
    with pytest.raises(CommandError):
        call_command("rotatekeys")
    assert "no-key" not in capsys.readouterr().out


def test_keys_in_the_environment_are_rotated_in_two_steps(servers, monkeypatch, capsys, tmp_path):
    def step():
        call_command("rotatekeys")
        return capsys.readouterr().out.split(f"{vault.ENVIRONMENT}='")[1].split("'")[0]

    (old,) = vault.keys()
    monkeypatch.setenv(vault.ENVIRONMENT, old)
    both = step()
    assert both.split()[1:] == [old]
    assert passwords() == EXPECTED
    monkeypatch.setenv(vault.ENVIRONMENT, both)
    only = step()
    assert only == both.split()[0]
    monkeypatch.setenv(vault.ENVIRONMENT, only)
    assert passwords() == EXPECTED
    assert (tmp_path / vault.NAME).read_text().split() == [old]  # the file is not the environment's business


def test_all_whose_secrets_no_key_opens_are_named(servers, admin):
    fields = {"address_sealed": vault.seal("https://chat.example.org"), "shown": "chat.example.org"}
    Channel.objects.create(name="ops", kind="webhook", **fields)
    data = {"secret": vault.seal("totp").decode()}
    Authenticator.objects.create(user=admin, type=Authenticator.Type.TOTP, data=data)
    assert rotation.locked() == []
    vault.store([vault.new_key()])
    assert rotation.locked() == ["one", "two", "admin's second factor", "the channel ops"]


def test_a_channel_that_no_key_opens_is_named_with_what_to_do_and_the_old_keys_stay(servers):
    Channel.objects.create(name="pager", kind="webhook", address_sealed=b"of a lost key")
    old = vault.keys()
    with pytest.raises(CommandError, match=r"the channel pager\..* the addresses of these channels again"):
        call_command("rotatekeys")
    assert set(old) < set(vault.keys())
