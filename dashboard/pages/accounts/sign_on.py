"""Company sign-on by OpenID Connect, off unless the environment names an issuer. The settings read it."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

PROVIDER = "company"  # in addresses: /sign-on/company/login/
ROLES = ("", "viewer", "operator")  # company sign-on makes no administrators


@dataclass(frozen=True)
class SignOn:
    app: dict[str, object]  # in the format of allauth
    origins: tuple[str, ...]  # targets of the login form, for the content security policy
    role: str  # of new accounts; "": no account is created


class BadSignOn(ValueError):
    """DURASCOPE_OIDC_* do not describe a working sign-on; the message names the variable."""


def company(environment: Mapping[str, str]) -> SignOn | None:
    """Read DURASCOPE_OIDC_*; None without an issuer. Raises BadSignOn."""
    issuer = environment.get("DURASCOPE_OIDC_ISSUER", "").rstrip("/")
    if not issuer:
        return None
    app: dict[str, object] = {
        "provider_id": PROVIDER,
        "name": environment.get("DURASCOPE_OIDC_NAME", "Company sign-on"),
        "client_id": _needed(environment, "DURASCOPE_OIDC_CLIENT_ID"),
        "secret": _needed(environment, "DURASCOPE_OIDC_CLIENT_SECRET"),
        "settings": {"server_url": issuer, "oauth_pkce_enabled": True},
    }
    origins = environment.get("DURASCOPE_OIDC_ORIGINS", "").split(",")
    return SignOn(app, (_origin(issuer), *(_origin(one) for one in origins if one)), _role(environment))


def _needed(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name, "")
    if not value:
        raise BadSignOn(f"DURASCOPE_OIDC_ISSUER is set, but {name} is not. Set both, or neither.")
    return value


def _origin(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.netloc or set(address) & set(" ;'\""):
        raise BadSignOn(f"{address!r} is no address of a sign-on service. Write https://login.example.org.")
    return f"{parts.scheme}://{parts.netloc}"


def _role(environment: Mapping[str, str]) -> str:
    role = environment.get("DURASCOPE_OIDC_ROLE", "")
    if role not in ROLES:
        raise BadSignOn(f"DURASCOPE_OIDC_ROLE is {role!r}; it can be viewer, operator, or empty.")
    return role
