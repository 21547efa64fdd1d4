"""New keys for stored passwords, while somebody changes what is encrypted with them."""

import threading

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from cryptography.fernet import MultiFernet
from django.db import connection

from dashboard.installation import vault
from dashboard.records.notifications import actions
from dashboard.records.notifications.models import Channel
from dashboard.records.servers import rotation

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def own_home(tmp_path, monkeypatch):
    monkeypatch.setenv("DURASCOPE_HOME", str(tmp_path))


@pytest.fixture
def rotated(monkeypatch):
    """Rotates the keys; between the reading and the writing of the first row another thread acts."""

    def with_act(act):
        def acted():
            try:
                act()
            finally:
                connection.close()

        thread, rotate = threading.Thread(target=acted), MultiFernet.rotate

        def after_reading(box, sealed):
            if not thread.ident:
                thread.start()
                thread.join(1)
            return rotate(box, sealed)

        monkeypatch.setattr(MultiFernet, "rotate", after_reading)
        assert rotation.rotate_file().lost == ()
        thread.join()

    return with_act


def test_a_channels_new_address_stays(rotated, admin):
    channel, _ = actions.add(admin, "email", "mail", "old@example.org", ["night_failed"])
    sealed = vault.seal("new@example.org")
    rotated(lambda: Channel.objects.update(address_sealed=sealed))
    assert bytes(Channel.objects.get(pk=channel.pk).address_sealed) == sealed


def test_a_channels_new_name_keeps_the_address_that_was_encrypted_again(admin):
    """The page read the channel before the rotation."""
    channel, _ = actions.add(admin, "email", "mail", "old@example.org", ["night_failed"])
    rotation.rotate_file()
    actions.change(admin, channel, "post", "", ["night_failed"])
    stored = Channel.objects.get()
    assert (stored.name, vault.open_sealed(stored.address_sealed)) == ("post", "old@example.org")


def test_a_used_recovery_code_stays_used(rotated, admin):
    codes = RecoveryCodes.activate(admin)
    used = codes.get_unused_codes()[0]
    rotated(lambda: codes.validate_code(used))
    assert used not in Authenticator.objects.get().wrap().get_unused_codes()
