"""The settings of a replica: their values, in the spelling of the server.

Only one spelling is allowed, because trials and their explanations compare these values as text.
"""

from collections.abc import Mapping

from workers.errors import PlanError
from workers.servers.facts import FlavourKey
from workers.servers.settings import ON_OFF, SETTINGS, Rule, check, normal_form

_NUMBER = Rule("", most=2**32 - 1)
_SWITCH = Rule("", choices=ON_OFF)
_WORKERS = Rule("", most=1024)
_REPOSITORY = Rule("", choices=("FILE", "TABLE"))

# What decides whether a replica survives a crash of its own. The names are those of MariaDB and of both ages of MySQL.
REPLICAS_OWN_SETTINGS: Mapping[str, Rule] = {
    "relay_log_recovery": _SWITCH,
    "sync_relay_log": _NUMBER,
    "sync_relay_log_info": _NUMBER,
    "sync_master_info": _NUMBER,
    "sync_source_info": _NUMBER,
    "slave_parallel_threads": Rule("", most=16383),
    "slave_parallel_workers": _WORKERS,
    "replica_parallel_workers": _WORKERS,
    "slave_parallel_mode": Rule("", choices=("none", "minimal", "conservative", "optimistic", "aggressive")),
    "master_info_repository": _REPOSITORY,
    "relay_log_info_repository": _REPOSITORY,
    "log_slave_updates": _SWITCH,
    "log_replica_updates": _SWITCH,
    "gtid_strict_mode": _SWITCH,
}


def problem(name: str, value: str, flavour: FlavourKey | None) -> str:
    """Why a replica cannot have this setting; "" when it can. `flavour`: None: not known."""
    try:
        normal = _normal(name, value, flavour)
    except PlanError as wrong:
        return str(wrong)
    is_size = name in SETTINGS and SETTINGS[name].kind == "bytes"
    return "" if is_size or value == normal else f"{name}={value} is not the server's spelling: write {name}={normal}."


def _normal(name: str, value: str, flavour: FlavourKey | None) -> str:
    if name in SETTINGS:
        return check(name, value, flavour) if flavour else value
    if (rule := REPLICAS_OWN_SETTINGS.get(name)) is None:
        known = f"Known: those of a variant, and {', '.join(sorted(REPLICAS_OWN_SETTINGS))}."
        raise PlanError(f"{name[:64]} is no setting that Durascope changes on a replica.", known)
    if (normal := normal_form(value, rule, "integer")) is None:
        raise PlanError(f"{name} cannot be {value!r} on a replica.", f"Allowed: {rule.allows}.")
    return normal
