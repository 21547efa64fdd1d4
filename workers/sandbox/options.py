"""The option file of a sandbox."""

import re
from collections.abc import Mapping
from pathlib import Path

from workers.errors import SandboxError
from workers.metrics.commit_waits import INSTRUMENTS
from workers.sandbox.builds import Build
from workers.sandbox.flavours import FAMILIES
from workers.servers.settings import switch

NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
VALUE = re.compile(r"[A-Za-z0-9_.,:=+/ -]{0,1024}")
BINLOG_BASE = "binlog"

# Options of the sandbox itself: paths, access, and everything that loads code or runs SQL at the start.
OWN = frozenset(
    {"basedir", "datadir", "tmpdir", "chroot", "user", "socket", "pid_file", "log_error", "secure_file_priv"}
    | {"port", "bind_address", "skip_networking", "skip_name_resolve", "skip_grant_tables", "init_file"}
    | {"plugin_dir", "plugin_load", "plugin_load_add", "log_bin_basename", "log_bin_index"}
    | {"innodb_data_home_dir", "innodb_log_group_home_dir", "innodb_undo_directory"}
    | {"plugin_maturity", "tokudb_data_dir", "tokudb_log_dir", "tokudb_tmp_dir"}
)

# For 1024 clients, and with small binlog files that are soon removed, so that the disk does not fill up. MyISAM's cache
# is as small as MySQL's: for MariaDB's 128M, which no measurement uses, each start writes 16 MB of memory.
DEFAULTS = {
    "server_id": "1",
    "max_connections": "1100",
    "back_log": "1024",
    "open_files_limit": "8192",
    "max_prepared_stmt_count": "1048576",
    "character_set_server": "utf8mb4",
    "innodb_buffer_pool_size": "128M",
    "key_buffer_size": "8M",
    "performance_schema": "OFF",
    "log_bin": "OFF",
    "binlog_format": "ROW",
    "max_binlog_size": "256M",
}
# By default a sandbox removes its binlog after a minute. Old servers do not know the variable.
KEEP_BINLOG = {"loose_binlog_expire_logs_seconds": "0"}


def check(settings: Mapping[str, str]) -> None:
    """SandboxError: a name or value is not valid in an option file, or only the sandbox may set it."""
    for name, value in settings.items():
        if not NAME.fullmatch(name) or not VALUE.fullmatch(value):
            raise SandboxError(f"{name!r} = {value!r} is not a setting.", "Names: a-z, 0-9, _. One line per value.")
        if name in OWN:
            raise SandboxError(f"{name} cannot be set: the sandbox sets it itself.", "Nothing was started. Remove it.")


def my_cnf(
    build: Build,
    folder: Path,
    port: int,
    settings: Mapping[str, str],
    datadir: Path | None = None,
    address: str = "127.0.0.1",
) -> str:
    """The text of the option file, without passwords. `settings` win over DEFAULTS. `datadir`: outside of the sandbox's
    folder."""
    check(settings)
    temporary = folder / "tmp"
    lines = [
        "[mysqld]",
        f"basedir={build.basedir}",
        f"datadir={datadir or folder / 'data'}",
        f"tmpdir={temporary}",
        f"secure_file_priv={temporary}",
        f"socket={folder}/run/sock",
        f"pid_file={folder}/run/pid",
        f"port={port}",
        f"bind_address={address}",
        *places(build),
        *_of_any_machine(build, settings),
    ]
    return "\n".join(lines) + "\n"


def portable_cnf(build: Build, settings: Mapping[str, str]) -> str:
    """The same for a server of this version on another machine: without paths and addresses."""
    check(settings)
    return "\n".join(["[mysqld]", *_of_any_machine(build, settings)]) + "\n"


def _of_any_machine(build: Build, settings: Mapping[str, str]) -> list[str]:
    engines = {name: value for engine in build.engines for name, value in engine.defaults.items()}
    merged = {**DEFAULTS, **engines, **settings}
    return [
        "skip_name_resolve",
        *(f"plugin_load_add={plugin}" for plugin in build.plugins),
        *FAMILIES[build.flavour].lines(build.version),
        _log_bin(merged.pop("log_bin")),
        *(f"{name}={value}" for name, value in merged.items()),
        *_waits(build, merged["performance_schema"]),
    ]


def places(build: Build) -> list[str]:
    """The folders of the server's own files, because binaries were built for other folders."""
    share, plugins = build.layout.share, build.layout.plugin_dir
    return [
        *([f"lc_messages_dir={share}", f"character_sets_dir={share}/charsets"] if share else []),
        *([f"plugin_dir={plugins}"] if plugins else []),
    ]


def _waits(build: Build, performance_schema: str) -> list[str]:
    """performance_schema also times the waits for a group's leader. MySQL 5.5 does not know the option."""
    if switch(performance_schema) != "ON":
        return []
    return [f"loose_performance_schema_instrument='{INSTRUMENTS[build.flavour]}=ON'"]


def _log_bin(value: str) -> str:
    """As an option, log_bin takes a file name: log_bin=OFF would switch it on."""
    if switch(value) == "ON":
        return f"log_bin={BINLOG_BASE}"
    if switch(value) == "OFF":
        return "skip_log_bin"
    raise SandboxError(f"log_bin cannot be {value!r}.", "It is ON or OFF.")
