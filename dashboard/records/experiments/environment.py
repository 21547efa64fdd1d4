"""The environment of a run: facts by name, and the differences between environments."""

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.text.numbers import UNKNOWN, size

# Fact -> its path in `Environment.data`.
FACTS: dict[str, tuple[str, ...]] = {
    "server version": ("server", "version"),
    "kernel": ("host", "kernel"),
    "distribution": ("host", "distribution"),
    "CPU": ("host", "cpu_model"),
    "cores": ("host", "cores"),
    "memory": ("host", "memory_bytes"),
    "transparent huge pages": ("host", "transparent_huge_pages"),
    "file system": ("storage", "file_system"),
    "mount options": ("storage", "mount_options"),
    "simulated device": ("storage", "profile"),
    "device": ("storage", "device"),
    "device model": ("storage", "model"),
    "write cache": ("storage", "write_cache"),
    "I/O scheduler": ("storage", "scheduler"),
    "sysbench": ("sysbench",),
}
# Variables of a server's place. They differ between any two sandboxes and say nothing about its behaviour.
PLACES = frozenset(
    ("aria_log_dir_path", "basedir", "character_sets_dir", "datadir", "general_log_file", "hostname",
     "innodb_data_home_dir", "innodb_log_group_home_dir", "innodb_undo_directory", "lc_messages_dir",
     "log_bin_basename", "log_bin_index", "log_error", "pid_file", "plugin_dir", "port", "relay_log_basename",
     "relay_log_index", "relay_log_info_file", "report_host", "report_port", "secure_file_priv", "server_uuid",
     "server_uid", "slave_load_tmpdir", "slow_query_log_file", "socket", "tmpdir", "wsrep_data_home_dir",
     "general_log", "last_insert_id", "pseudo_thread_id", "rand_seed1", "rand_seed2")
)  # fmt: skip


def facts(data: Mapping[str, object]) -> dict[str, str]:
    """Fact -> its text on a page; a dash if it is not known."""
    return {name: _fact(data, name, path) for name, path in FACTS.items()}


def differences(environments: Sequence[Mapping[str, object]]) -> list[tuple[str, list[str]]]:
    """(Fact or variable, its value in each environment) where the values differ: facts first, then variables."""
    if not environments:
        return []
    shown = [facts(data) for data in environments]
    variables = [_at(data, ("server", "variables")) or {} for data in environments]
    names = sorted(set().union(*variables) - PLACES)
    rows = [(name, [one[name] for one in shown]) for name in FACTS]
    rows += [(name, [str(one.get(name, UNKNOWN)) for one in variables]) for name in names]
    return [(name, values) for name, values in rows if len(set(values)) > 1]


def _fact(data: Mapping[str, object], name: str, path: tuple[str, ...]) -> str:
    value = _at(data, path)
    if value is None or value == "":
        return UNKNOWN
    return size(value) if name == "memory" else str(value)


def _at(data: Mapping[str, object], path: tuple[str, ...]) -> Any:
    value: object = data
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
