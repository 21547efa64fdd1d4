"""New keys for all stored passwords, in steps. Every password stays readable after each step."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from allauth.mfa.models import Authenticator
from cryptography.fernet import InvalidToken, MultiFernet
from django.db import transaction
from django.db.models import QuerySet

from dashboard.installation import vault
from dashboard.records.notifications.models import Channel
from dashboard.records.servers.models import Server

FACTOR_SECRETS = {"secret", "seed"}


@dataclass(frozen=True)
class Resealed:
    """How many passwords are encrypted with the first key now, and the servers whose password no key decrypts."""

    passwords: int
    lost: tuple[str, ...]


@dataclass(frozen=True)
class EnvironmentStep:
    """The keys for the environment variable; `resealed` is None while a new key is only proposed."""

    keys: list[str]
    resealed: Resealed | None = None


@transaction.atomic
def reseal(keys: list[str]) -> Resealed:
    """Encrypt all passwords again with the first key. Whoever changes one meanwhile waits."""
    box = vault.box(keys)
    servers = Server.objects.select_for_update().exclude(password_sealed=b"").only("name", "password_sealed")
    passwords, lost = _reseal(box, servers, ("password_sealed",))
    lost += _reseal_factors(box)
    _, channels = _reseal(box, Channel.objects.select_for_update(), ("address_sealed", "secret_sealed"))
    return Resealed(passwords, (*lost, *(f"the channel {name}" for name in channels)))


def _reseal(box: MultiFernet, rows: Iterable[Server | Channel], columns: Sequence[str]) -> tuple[int, list[str]]:
    """How many rows are encrypted again, and the names of the rows that no key decrypts."""
    done, lost = 0, []
    for row in rows:
        try:
            for column in columns:
                if sealed := bytes(getattr(row, column)):
                    setattr(row, column, box.rotate(sealed))
        except InvalidToken:
            lost.append(row.name)
            continue
        row.save(update_fields=columns)
        done += 1
    return done, lost


def _reseal_factors(box: MultiFernet) -> list[str]:
    """Secrets of authenticator apps and recovery codes, encrypted with the same keys."""
    lost = []
    for factor in _factors().select_for_update(of=("self",)):
        try:
            for name in FACTOR_SECRETS & factor.data.keys():
                factor.data[name] = box.rotate(factor.data[name]).decode()
        except InvalidToken:
            lost.append(_name(factor))
            continue
        factor.save(update_fields=["data"])
    return lost


def _factors() -> QuerySet[Authenticator]:
    found: QuerySet[Authenticator] = Authenticator.objects.exclude(type=Authenticator.Type.WEBAUTHN)
    return found.select_related("user")


def _name(factor: Authenticator) -> str:
    return f"{factor.user.get_username()}'s second factor"


def locked() -> list[str]:
    """Whose passwords no key decrypts, named as by `reseal`."""
    sealed = [(one.name, [one.password_sealed]) for one in Server.objects.order_by("name")]
    for factor in _factors():
        sealed.append((_name(factor), [factor.data[name].encode() for name in FACTOR_SECRETS & factor.data.keys()]))
    sealed += [(f"the channel {one.name}", [one.address_sealed, one.secret_sealed]) for one in Channel.objects.all()]
    return [name for name, values in sealed if any(vault.problem_with(one) for one in values)]


def rotate_file() -> Resealed:
    """Add a key, encrypt again, delete the old keys. After a crash at any point the file still decrypts everything.

    If a password cannot be decrypted, the old keys stay: they are the only chance for it.
    """
    keys = [vault.new_key(), *vault.keys()]
    vault.box(keys)  # raises KeyMissing before anything is written
    vault.store(keys)
    done = reseal(keys)
    if not done.lost:
        vault.store(keys[:1])
    return done


def rotate_environment() -> EnvironmentStep:
    """A program cannot change its environment variables: propose a new first key, or encrypt again and name the keys to
    drop."""
    keys = vault.keys()
    vault.box(keys)
    if len(keys) == 1:
        return EnvironmentStep([vault.new_key(), *keys])
    done = reseal(keys)
    return EnvironmentStep(keys if done.lost else keys[:1], done)
