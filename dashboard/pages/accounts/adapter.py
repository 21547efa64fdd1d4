"""Differences from allauth: one query for a login, no sign-up, own limits on failed logins, sealed secrets, labels of
passkeys."""

from ipaddress import ip_address

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.auth_backends import AuthenticationBackend
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.forms import AddWebAuthnForm, EditWebAuthnForm
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.forms import BaseForm
from django.http import HttpRequest
from django.urls import reverse

from dashboard.installation import vault
from dashboard.pages.accounts import throttle
from dashboard.pages.accounts.signals import LOGIN_FAILED, address
from dashboard.records.accounts import actions, refused
from dashboard.records.accounts.models import Attempt
from dashboard.text.names import check_name


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]  # allauth has no types
    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": "Enter a correct username and password. Nobody was logged in.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def authenticate(self, request: HttpRequest, **credentials: object) -> User | None:
        user: User | None = super().authenticate(request, **credentials)
        if user and self._attempt:
            self._attempt.delete()
        if user and getattr(user, "person", None) and user.person.one_time_expired:
            raise ValidationError(
                "This one-time password has expired. Nobody was logged in. Ask an administrator for a new one.",
                code="expired",
            )
        return user

    def pre_authenticate(self, request: HttpRequest, **credentials: object) -> None:
        """Count the attempt, or refuse before the password is checked: a refusal tells nothing about the password."""
        self._attempt: Attempt | None = throttle.begin(
            LOGIN_FAILED, str(credentials.get("username", "")), address(request)
        )
        if self._attempt is None:
            refused.note("Too many failed logins: nothing was checked.")
            minutes = int(throttle.WINDOW.total_seconds() // 60)
            raise ValidationError(
                f"Too many failed logins. Nothing was checked this time. Wait {minutes} minutes and try again.",
                code="throttled",
            )

    def get_client_ip(self, request: HttpRequest) -> str:
        """allauth stores an IP address. Without one from the proxy, all clients share 0.0.0.0."""
        try:
            return str(ip_address(address(request)))
        except ValueError:
            return "0.0.0.0"  # noqa: S104 - stored, not bound

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        messages.success(request, "Your password was changed. Other sessions of yours are logged out.")
        return reverse("home")

    def add_message(self, *args: object, **kwargs: object) -> None:
        """Our pages say what happened, so the messages of allauth are dropped."""


class SignOnAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # allauth has no types
    """Company sign-on. It creates accounts only if DURASCOPE_OIDC_ROLE names their role."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return bool(settings.SIGN_ON_ROLE)

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: BaseForm | None = None) -> User:
        user: User = super().save_user(request, sociallogin, form)
        actions.add_from_sign_on(user, settings.SIGN_ON_ROLE)
        return user


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]  # allauth has no types
    """Secrets of second factors are stored encrypted, like the passwords of servers."""

    def encrypt(self, text: str) -> str:
        return vault.seal(text).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return vault.open_sealed(encrypted_text.encode())

    def generate_authenticator_name(self, user: User, type: Authenticator.Type) -> str:
        return f"Passkey {Authenticator.objects.filter(user=user, type=type).count() + 1}"

    def get_totp_issuer(self) -> str:
        return "Durascope"


class Backend(AuthenticationBackend):  # type: ignore[misc]  # allauth has no types
    def get_user(self, user_id: int) -> User | None:
        user = User.objects.select_related("person").filter(pk=user_id).first()
        return user if user and self.user_can_authenticate(user) else None


NAME_HELP = "The name of this passkey in your list."


class PasskeyForm(AddWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        alone = self.fields["passwordless"]
        alone.label = "Log in with this passkey alone"
        alone.help_text = "Without name and password. Otherwise you use it after the password."
        alone.initial = True
        self.fields["name"].help_text = NAME_HELP
        self.fields["name"].validators.append(check_name)


class PasskeyNameForm(EditWebAuthnForm):  # type: ignore[misc]  # allauth has no types
    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].help_text = NAME_HELP
        self.fields["name"].validators.append(check_name)
