"""A name that a server does not know: whether it starts, and what the name may be meant for."""

from dataclasses import dataclass, field

from workers.servers.compared import name_of
from workers.servers.deciding import SOMETIMES
from workers.servers.facts import Version
from workers.servers.flavours import FLAVOURS
from workers.servers.pasted.lines import WrittenOption, as_text
from workers.servers.pasted.option_names import FoundName, nearest_name
from workers.servers.pasted.options import ServerOptions, of_flavour
from workers.servers.pasted.untabled import Settings, of_fork, of_plugin
from workers.servers.present import WORDS

# Options of plugins and components, which a server knows only if it loads them.
PLUGINS = (
    "rocksdb", "tokudb", "spider", "connect_", "mroonga", "oqgraph", "server_audit", "rpl_semi_sync_",
    "group_replication", "validate_password", "password_", "cracklib", "simple_password_check", "clone_", "mysqlx",
    "audit_log", "keyring", "authentication_", "ldap", "daemon_memcached", "handlersocket", "file_key_management",
    "hashicorp", "aws_key", "gssapi", "provider_", "s3_", "columnstore", "sphinx", "connection_control",
    "ddl_rewriter", "telemetry", "thread_pool", "feedback", "federated", "archive", "blackhole", "example",
    "sequence", "disks", "metadata_lock_info", "query_response_time", "query_cache_info", "locales", "wsrep_info",
    "auth_", "caching_sha2", "sha256_password", "ndb", "binlog_utils", "plugin_",
)  # fmt: skip


@dataclass(frozen=True)
class UnknownName:
    """`refused`: why the server does not start, "" if it may. `settings`: what it sets, or may set. `plugin`: the name,
    if it is an option of one."""

    refused: str = ""
    note: str = ""
    settings: Settings = field(default_factory=dict)
    plugin: str = ""


def unknown_name(
    line: WrittenOption, found: FoundName, server: ServerOptions, version: Version, *, is_fork: bool, is_asked: bool
) -> UnknownName:
    """`is_asked`: also for what it may be meant, which takes milliseconds."""
    shown = as_text(line.name)
    plain = found.rest
    if plain.startswith(PLUGINS):
        says = "" if found.is_loose else f"{shown} belongs to a plugin: the server starts only if it loads that."
        return UnknownName(note=says, settings=of_plugin(found, line.value), plugin=plain)
    elsewhere = any(plain in one.options for one in of_flavour(server.flavour))
    is_later = plain in SOMETIMES and SOMETIMES[plain].exists(server.flavour, version)
    is_between = (elsewhere or is_later) and server.series != version[:2]
    settings: Settings = {name_of(plain): None} if is_between and name_of(plain) else {}
    likely = nearest_name(plain, server) if is_asked else ""
    meant = f" Is {likely} meant?" if likely else ""
    if is_fork:
        own = of_fork(found, line.value, server)
        near: Settings = {likely: None} if likely in WORDS else {}
        note = f"{shown} is not known here.{meant}" if likely and not own else ""
        return UnknownName(note=note, settings=settings | (own or near))
    if found.is_loose:
        return UnknownName(
            note=f"{shown}: {title(server)} does not know this name and passes over it (loose-).{meant}",
            settings=settings,
        )
    if not _may_have_it(plain, server, version) and (
        server.series == version[:2] or (likely in WORDS and not elsewhere and not is_later)
    ):
        return UnknownName(f"no option is called {shown}.{meant}")
    if elsewhere or is_later:
        return UnknownName(settings=settings)
    return UnknownName(note=f"{shown} is not known here: whether this version starts with it is unknown.")


def _may_have_it(name: str, server: ServerOptions, version: Version) -> bool:
    """A release of the same series may have what comes with a newer one, or what an older one still had."""
    if version == server.version:
        return False
    is_newer = version > server.version
    return any(name in one.options for one in of_flavour(server.flavour) if (one.version > server.version) == is_newer)


def title(server: ServerOptions) -> str:
    return FLAVOURS[server.flavour].title
