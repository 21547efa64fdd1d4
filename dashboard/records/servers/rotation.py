"""A new key for all stored passwords, in steps that each leave every password readable."""

from dataclasses import dataclass

from allauth.mfa.models import Authenticator
from cryptography.fernet import InvalidToken, MultiFernet
from django.db import transaction

from dashboard.installation import vault
from dashboard.records.notifications.models import Channel
from dashboard.records.servers.models import Server


@dataclass(frozen=True)
class Resealed:
    """How many passwords are under the first key now, and the servers whose password no key opens."""

    passwords: int
    lost: tuple[str, ...]


@dataclass(frozen=True)
class EnvironmentStep:
    """The keys to put into the environment next; `resealed` is None while a new key is only proposed."""

    keys: list[str]
    resealed: Resealed | None = None


@transaction.atomic
def reseal(keys: list[str]) -> Resealed:
    """Seal all passwords again under the first key."""
    box, lost, passwords = vault.box(keys), [], 0
    for server in Server.objects.select_for_update().exclude(password_sealed=b"").only("name", "password_sealed"):
        try:
            server.password_sealed = box.rotate(bytes(server.password_sealed))
        except InvalidToken:
            lost.append(server.name)
            continue
        server.save(update_fields=["password_sealed"])
        passwords += 1
    lost += _reseal_factors(box) + _reseal_channels(box)
    return Resealed(passwords, tuple(lost))


def _reseal_factors(box: MultiFernet) -> list[str]:
    """Secrets of authenticator apps and recovery codes, which lie under the same keys."""
    lost = []
    for factor in Authenticator.objects.exclude(type=Authenticator.Type.WEBAUTHN).select_related("user"):
        sealed = [name for name in ("secret", "seed") if name in factor.data]
        try:
            for name in sealed:
                factor.data[name] = box.rotate(factor.data[name]).decode()
        except InvalidToken:
            lost.append(f"{factor.user.get_username()}'s second factor")
            continue
        factor.save(update_fields=["data"])
    return lost


def _reseal_channels(box: MultiFernet) -> list[str]:
    """Addresses of notifications, and the secrets that webhooks are signed with."""
    lost = []
    for channel in Channel.objects.all():
        try:
            channel.address_sealed = box.rotate(bytes(channel.address_sealed))
            channel.secret_sealed = box.rotate(bytes(channel.secret_sealed)) if channel.secret_sealed else b""
        except InvalidToken:
            lost.append(f"the channel {channel}")
            continue
        channel.save(update_fields=["address_sealed", "secret_sealed"])
    return lost


def rotate_file() -> Resealed:
    """Add a key, reseal, drop the old ones. After a crash anywhere the file still opens everything.

    The old keys stay while a password is lost: they may not open it, but they are all that is known.
    """
    keys = [vault.new_key(), *vault.keys()]
    vault.box(keys)  # never write beside something that is not a key
    vault.store(keys)
    done = reseal(keys)
    if not done.lost:
        vault.store(keys[:1])
    return done


def rotate_environment() -> EnvironmentStep:
    """The environment cannot be changed from here: propose a new first key, or reseal and drop the others."""
    keys = vault.keys()
    vault.box(keys)
    if len(keys) == 1:
        return EnvironmentStep([vault.new_key(), *keys])
    done = reseal(keys)
    return EnvironmentStep(keys if done.lost else keys[:1], done)
