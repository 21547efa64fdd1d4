"""The server chooses the way to log in, and PyMySQL and sysbench obey it. So they get only ways that are safe here.

- A scramble hides the password. Whoever hears it can still guess passwords offline.
- In clear text, or encrypted with a key that the server sends, anybody in the server's place reads it. That is allowed
  if the server is proven (workers.servers.pins).
- `mysql_old_password` is never answered: its scramble is broken. A way that is not known here is not answered, either.
"""

from collections.abc import Callable
from functools import partial

from pymysql import _auth
from pymysql.protocol import MysqlPacket

from workers.errors import AccessDenied
from workers.servers.limited import Connection
from workers.servers.pins import NOT_SENT, proven
from workers.servers.printable import printable
from workers.servers.target import Target

NATIVE = "mysql_native_password"
BY_KEY = {  # clear text under TLS, else encrypted with the RSA key of the server
    "caching_sha2_password": _auth.caching_sha2_password_auth,
    "sha256_password": _auth.sha256_password_auth,
}
CLEAR = ("mysql_clear_password", "dialog")  # dialog is PAM's
UNDECIDED = "undecided"  # a way that no server has: it then names the one of the account
LONGEST_NAME = 64

CONFIRM = (
    "Test the connection, compare the fingerprint with the server's own, and confirm it on the server's page or with "
    "manage.py server pin. Or choose the TLS mode 'verify' or a socket."
)
OLD = (
    f"asks for a password of MySQL 4.0 (mysql_old_password), which is easily read on the way. {NOT_SENT}",
    "Set the account's password again with old_passwords=0. If it is no such account, something else answers there.",
)
SECOND = (
    "wants more than a password, such as a second factor. Durascope cannot give it.",
    "Create an account for Durascope that logs in by a password alone.",
)
UNEXPECTED = {"received unknown auth switch request": OLD, "unexpected packet during authentication": SECOND}


def ways(target: Target, *, encrypted: bool, is_proven: bool) -> tuple[str, ...]:
    """All ways that one connection to a TCP address may take. `is_proven`: it ends if another server answers."""
    by_key = is_proven or target.any_key or (bool(target.key_pin) and not encrypted)
    return (NATIVE, *(BY_KEY if by_key else ()), *(CLEAR if is_proven else ()))


def for_sysbench(target: Target) -> tuple[str, ...]:
    """Its connections are plain in the modes *off* and *preferred*. Under TLS they accept only the certificate that a
    connection of ours has just checked (workers.bench.tls)."""
    encrypted = target.encrypts_loads
    return ways(target, encrypted=encrypted, is_proven=encrypted and proven(target))


class Ways(dict[str, object]):
    """For PyMySQL's `_auth_plugin_map`: what answers a plugin. None: PyMySQL itself."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self.greeted = ""  # the plugin of the greeting, where it was not answered
        self.last = ""  # the plugin that was asked for last: the one of the account

    def get(self, plugin: str | bytes, default: object = None) -> "Callable[[Connection], Way] | None":
        name = plugin.decode("ascii", "replace") if isinstance(plugin, bytes) else plugin
        name = self.last = self.greeted if name == UNDECIDED else name
        if name in ("", NATIVE) or (name in CLEAR and proven(self._target)):
            return None
        return partial(Way, name, self._target)


class Way:
    """Answers a plugin of the server, or refuses to."""

    def __init__(self, plugin: str, target: Target, connection: Connection) -> None:
        self._plugin, self._target, self._connection = plugin, target, connection

    def authenticate(self, packet: MysqlPacket) -> MysqlPacket:
        """Raises AccessDenied. An unasked packet with a key would replace the confirmed one in PyMySQL."""
        asked = packet.is_auth_switch_request() or self._plugin != "sha256_password"
        if self._plugin not in BY_KEY or not asked or self._plugin not in self._allowed():
            raise self._refused()
        answered: MysqlPacket = BY_KEY[self._plugin](self._connection, packet)  # type: ignore[no-untyped-call]
        return answered

    def _allowed(self) -> tuple[str, ...]:
        return ways(self._target, encrypted=self._connection._secure, is_proven=proven(self._target))

    def _refused(self) -> AccessDenied:
        where, plugin = self._target.where, printable(self._plugin[:LONGEST_NAME])
        if plugin in BY_KEY:
            return AccessDenied(
                f"{where} asks for the password ({plugin}), and nobody has confirmed its certificate or key. "
                f"{NOT_SENT}",
                CONFIRM,
            )
        if plugin in CLEAR:
            return AccessDenied(
                f"{where} asks for the password in clear text ({plugin}), and nothing proves that it is the right "
                f"server. {NOT_SENT}",
                f"{CONFIRM} If the account has a plugin that hides the password, something else answers there.",
            )
        return refused(where, OLD) if plugin == "mysql_old_password" else unknown(where, plugin)


def refused(where: str, why: tuple[str, str]) -> AccessDenied:
    return AccessDenied(f"{where} {why[0]}", why[1])


def unknown(where: str, plugin: str) -> AccessDenied:
    return AccessDenied(
        f"The account logs in at {where} by {plugin or 'a plugin without a name'}, which Durascope does not know. "
        f"{NOT_SENT}",
        "Give it a password that Durascope knows: IDENTIFIED VIA mysql_native_password USING PASSWORD('...') at "
        "MariaDB, IDENTIFIED WITH caching_sha2_password BY '...' at MySQL.",
    )
