"""Company sign-on by OpenID Connect, off unless the environment names an issuer. Read by the settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

PROVIDER = "company"  # in addresses: /sign-on/company/login/
ROLES = ("", "viewer", "operator")  # nobody is sent in as an administrator


@dataclass(frozen=True)
class SignOn:
    app: dict[str, object]  # as allauth wants it
    origins: tuple[str, ...]  # where the login form may lead: for the content security policy
    role: str  # of somebody who comes for the first time; "": nobody gets in so


class BadSignOn(ValueError):
    """The environment describes no sign-on that could work; the message names the variable."""


def company(environment: Mapping[str, str]) -> SignOn | None:
    """What DURASCOPE_OIDC_* say; None when there is no issuer. Raises BadSignOn."""
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
