"""Environment variables that the settings check (docs/settings.md). Each function raises ValueError, which names the
variable. The settings read this module first, so it imports no model and no part of a web server."""

import ipaddress
import json
from collections.abc import Mapping
from datetime import timedelta

from dashboard.records.accounts.role import Role

GUARDED: dict[str, tuple[str, ...]] = {  # DURASCOPE_SECOND_FACTOR -> roles that need a second factor
    "": (),
    "administrators": (Role.ADMINISTRATOR,),
    "everybody": tuple(Role.values),
}
IDLE_MINUTES = 720
ONE_TIME_HOURS = 72
KEEP_DAYS = {"samples": 180, "evidence": 365, "leftovers": 90}  # 0: for ever
SMTP_PORTS = {"starttls": 587, "tls": 465, "off": 25}
SMTP_TIMEOUT_S = 15


def proxies(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Addresses and networks that `pages.forwarded` trusts."""
    found = tuple(one.strip() for one in environ.get("DURASCOPE_PROXIES", "").split(",") if one.strip())
    for one in found:
        try:
            ipaddress.ip_network(one)
        except ValueError as wrong:
            raise ValueError(
                f"DURASCOPE_PROXIES holds {one!r}, which is no address. Write addresses, separated by commas."
            ) from wrong
    return found


def guarded_roles(environ: Mapping[str, str]) -> tuple[str, ...]:
    said = environ.get("DURASCOPE_SECOND_FACTOR", "")
    if said not in GUARDED:
        raise ValueError(f"DURASCOPE_SECOND_FACTOR is {said!r}; it can be administrators, everybody, or empty.")
    return GUARDED[said]


def idle_limit(environ: Mapping[str, str]) -> timedelta | None:
    """None: no limit."""
    return timedelta(minutes=_number(environ, "DURASCOPE_IDLE_MINUTES", IDLE_MINUTES)) or None


def one_time_limit(environ: Mapping[str, str]) -> timedelta:
    return timedelta(hours=_number(environ, "DURASCOPE_ONE_TIME_HOURS", ONE_TIME_HOURS, least=1))


def keep_days(environ: Mapping[str, str]) -> dict[str, int]:
    """For how many days things are kept."""
    return {
        name: _number(environ, f"DURASCOPE_KEEP_{name.upper()}", usual, most=99_999)
        for name, usual in KEEP_DAYS.items()
    }


def crash_programs(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Whole paths: otherwise the PATH would decide which program it is."""
    found = tuple(one for one in environ.get("DURASCOPE_CRASH_PROGRAMS", "").split(":") if one)
    if names := [one for one in found if not one.startswith("/")]:
        raise ValueError(f"DURASCOPE_CRASH_PROGRAMS holds {names[0]!r}. Write whole paths, separated by colons.")
    return found


def failover_command(environ: Mapping[str, str]) -> tuple[str, ...]:
    """A failover manager and its arguments, from a JSON list with a whole path first; empty: none."""
    text = environ.get("DURASCOPE_FAILOVER_COMMAND", "")
    try:
        argv = json.loads(text or "[]")
    except ValueError:
        argv = None
    is_list = isinstance(argv, list) and all(isinstance(one, str) for one in argv)
    if not is_list or (argv and not argv[0].startswith("/")):
        raise ValueError(
            'DURASCOPE_FAILOVER_COMMAND is no command. Write for example ["/usr/local/bin/manager", "-v"].'
        )
    return tuple(argv)


def mail_settings(environ: Mapping[str, str]) -> dict[str, object]:
    """Django's. Without a host no mail is sent, and pages say so."""
    tls = environ.get("DURASCOPE_SMTP_TLS", "starttls")
    if tls not in SMTP_PORTS:
        raise ValueError(f"DURASCOPE_SMTP_TLS is {tls!r}. Known: {', '.join(SMTP_PORTS)}.")
    return {
        "EMAIL_HOST": environ.get("DURASCOPE_SMTP_HOST", ""),
        "EMAIL_PORT": _number(environ, "DURASCOPE_SMTP_PORT", SMTP_PORTS[tls], least=1, most=65535),
        "EMAIL_HOST_USER": environ.get("DURASCOPE_SMTP_USER", ""),
        "EMAIL_HOST_PASSWORD": environ.get("DURASCOPE_SMTP_PASSWORD", ""),
        "EMAIL_USE_TLS": tls == "starttls",
        "EMAIL_USE_SSL": tls == "tls",
        "EMAIL_TIMEOUT": SMTP_TIMEOUT_S,
        "DEFAULT_FROM_EMAIL": environ.get("DURASCOPE_MAIL_FROM", "Durascope <durascope@localhost>"),
    }


def _number(environ: Mapping[str, str], name: str, usual: int, *, least: int = 0, most: int = 999_999) -> int:
    text = environ.get(name) or str(usual)
    if not (text.isascii() and text.isdecimal() and len(text) < 7 and least <= int(text) <= most):
        first = least or "0 (no limit)"
        raise ValueError(f"{name} is {text[:40]!r}. Write a whole number from {first} to {most}, or leave it out.")
    return int(text)
