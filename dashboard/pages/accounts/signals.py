"""Events of accounts go to the audit log, failed logins too."""

from allauth.account.signals import password_changed, password_set
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authentication_failed, authenticator_added, authenticator_removed, authenticator_reset
from allauth.socialaccount.models import SocialAccount, SocialLogin
from allauth.socialaccount.signals import social_account_added, social_account_removed
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db.models.signals import post_save
from django.dispatch import Signal, receiver
from django.http import HttpRequest

from dashboard.records.accounts.models import Person
from dashboard.records.accounts.role import Role
from dashboard.records.audit.models import record

LOGGED_IN = "logged in"
LOGIN_FAILED = "login failed"
FACTORS = {
    Authenticator.Type.TOTP: "authenticator app",
    Authenticator.Type.WEBAUTHN: "passkey",
    Authenticator.Type.RECOVERY_CODES: "recovery codes",
}


def address(request: HttpRequest | None) -> str:
    """The address of the client, as the web server saw it."""
    return request.META.get("REMOTE_ADDR", "") if request else ""


@receiver(post_save, sender=User)
def make_person(instance: User, created: bool, raw: bool = False, **_: object) -> None:
    """Every account has a role from the start; a superuser is an administrator."""
    if created and not raw:
        role = Role.ADMINISTRATOR if instance.is_superuser else Role.VIEWER
        Person.objects.get_or_create(user=instance, defaults={"role": role})


@receiver(user_logged_in)
def note_login(request: HttpRequest, user: User, **_: object) -> None:
    record(user, LOGGED_IN, user.get_username(), address=address(request))


@receiver(user_logged_out)
def note_logout(user: User | None, **_: object) -> None:
    if user:
        record(user, "logged out", user.get_username())


@receiver(user_login_failed)
def note_failure(credentials: dict[str, str], request: HttpRequest | None = None, **_: object) -> None:
    record(None, LOGIN_FAILED, credentials.get("username", ""), address=address(request))


@receiver(authentication_failed)
def note_failed_factor(request: HttpRequest, user: User, authenticator: Authenticator, **_: object) -> None:
    """Nobody is logged in yet: the name is only claimed."""
    factor = FACTORS[Authenticator.Type(authenticator.type)]
    record(None, "second factor failed", user.get_username(), address=address(request), factor=factor)


@receiver([password_changed, password_set])
def note_password(user: User, **_: object) -> None:
    Person.objects.filter(user=user).update(must_change_password=False, one_time_until=None)
    record(user, "changed password", user)


@receiver([authenticator_added, authenticator_removed, authenticator_reset])
def note_factor(signal: Signal, user: User, authenticator: Authenticator, **_: object) -> None:
    did = {authenticator_added: "added", authenticator_removed: "removed", authenticator_reset: "renewed"}[signal]
    record(user, f"{did} second factor", user, factor=FACTORS[Authenticator.Type(authenticator.type)])


@receiver(social_account_added)
def note_connected(sociallogin: SocialLogin, **_: object) -> None:
    record(sociallogin.user, "connected company sign-on", sociallogin.user)


@receiver(social_account_removed)
def note_disconnected(socialaccount: SocialAccount, **_: object) -> None:
    record(socialaccount.user, "disconnected company sign-on", socialaccount.user)
