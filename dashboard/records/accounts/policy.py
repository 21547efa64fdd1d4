"""Rules for logging in, read from environment variables by the settings."""

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


class BadPolicy(ValueError):
    """A value in the environment is not allowed. The message names the variable."""


def guarded_roles(environment: Mapping[str, str]) -> tuple[str, ...]:
    said = environment.get("DURASCOPE_SECOND_FACTOR", "")
    if said not in GUARDED:
        raise BadPolicy(f"DURASCOPE_SECOND_FACTOR is {said!r}; it can be administrators, everybody, or empty.")
    return GUARDED[said]


def idle_limit(environment: Mapping[str, str]) -> timedelta | None:
    """None: no limit."""
    minutes = _number(environment, "DURASCOPE_IDLE_MINUTES", IDLE_MINUTES)
    return timedelta(minutes=minutes) if minutes else None


def one_time_limit(environment: Mapping[str, str]) -> timedelta:
    hours = _number(environment, "DURASCOPE_ONE_TIME_HOURS", ONE_TIME_HOURS)
    if not hours:
        raise BadPolicy("DURASCOPE_ONE_TIME_HOURS is 0, so one-time passwords would never work. Write 1 or more.")
    return timedelta(hours=hours)


def _number(environment: Mapping[str, str], name: str, default: int) -> int:
    said = environment.get(name, str(default))
    if not (said.isascii() and said.isdecimal() and len(said) < 7):
        raise BadPolicy(f"{name} is {said!r}; write a whole number.")
    return int(said)
