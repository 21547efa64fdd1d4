"""Which certificate and key a server shows, asked without its password: nothing that is made of it is sent.

Both handshakes are broken off. The server counts them as aborted connections.
"""

import secrets
import ssl
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from socket import socket
from typing import Any, NoReturn

import pymysql
from pymysql.constants import CR
from pymysql.protocol import MysqlPacket

from workers.errors import AccessDenied, DurascopeError, Unreachable
from workers.servers.driver_errors import explain
from workers.servers.limited import LOGIN_BYTES, Connection
from workers.servers.logins import BY_KEY
from workers.servers.pins import changed, fingerprint, key_fingerprint, public_key
from workers.servers.target import Target

TIMEOUT_S = 5.0
FULL_LOGIN = b"\x01\x04"  # of caching_sha2_password: the scramble is not enough
AT_START = (
    b"MariaDB Server"  # subject and issuer of the certificate that MariaDB 11.4 makes at each start, if it has none
)


@dataclass(frozen=True)
class SeenKeys:
    """`certificate`: its fingerprint. `key`: RSA, as PEM. "": the server shows none that it would show again. None: it
    was not asked for in this TLS mode."""

    certificate: str | None = None
    key: str | None = None

    @property
    def key_fingerprint(self) -> str | None:
        return None if self.key is None else key_fingerprint(self.key)

    def __bool__(self) -> bool:
        return bool(self.certificate or self.key)


def seen(target: Target, timeout_s: float = TIMEOUT_S, *, certificate: str = "") -> SeenKeys:
    """At a TCP address. `certificate`: of a connection that has just compared it. Raises Unreachable if nothing answers
    there."""
    key = None if target.encrypts_loads else _key(target, timeout_s)
    if certificate or target.tls == "off":
        return SeenKeys(certificate or None, key)
    return SeenKeys(_kept(_certificate(target, timeout_s)), key)


def another_key(target: Target, timeout_s: float) -> AccessDenied | None:
    """The error if the server shows another RSA key than the confirmed one."""
    if not target.key_pin or target.encrypts_loads:
        return None
    with suppress(DurascopeError):
        shown = _key(target, timeout_s)
        if shown and shown != target.key_pin:
            return changed(target, "key", key_fingerprint(target.key_pin), key_fingerprint(shown))
    return None


class _Seen(Exception):
    def __init__(self, content: bytes) -> None:
        super().__init__()
        self.content = content


class _BreaksOff(ssl.SSLContext):
    def wrap_socket(self, sock: socket, *args: Any, **options: Any) -> NoReturn:
        with super().wrap_socket(sock, *args, **options) as wrapped:
            raise _Seen(wrapped.getpeercert(binary_form=True) or b"")


def _certificate(target: Target, timeout_s: float) -> bytes:
    context = _BreaksOff(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return _handshake(target, timeout_s, Connection, ssl=context)


def _kept(certificate: bytes) -> str:
    return "" if certificate.count(AT_START) > 1 else fingerprint(certificate)


def _key(target: Target, timeout_s: float) -> str:
    return public_key(_handshake(target, timeout_s, _AsksForKey, ssl_disabled=True))


def _handshake(target: Target, timeout_s: float, kind: type[Connection], **options: Any) -> bytes:
    """What was seen; b"": nothing."""
    connection = kind(
        host=target.host,
        port=target.port,
        user=target.user,
        password=secrets.token_bytes(16),
        connect_timeout=timeout_s,
        read_timeout=timeout_s,
        write_timeout=timeout_s,
        defer_connect=True,
        **options,
    )
    try:
        connection.limit(timeout_s, LOGIN_BYTES)
        connection.connect()
    except _Seen as found:
        return found.content
    except (pymysql.Error, OSError) as error:
        return _nothing(error, target)
    except Exception as nonsense:  # the driver trusts the server, see workers.servers.connection
        raise Unreachable(f"{target.where} answers, but not like a MySQL or MariaDB server.") from nonsense
    return b""


def _nothing(error: Exception, target: Target) -> bytes:
    """For an answer of a server that shows none. Raises the errors of the network."""
    if getattr(error, "original_exception", None) or (error.args and error.args[0] == CR.CR_SERVER_LOST):
        raise explain(error, target.where) from error
    return b""


class _AsksForKey(Connection):
    # Private in PyMySQL, see Connection.
    _auth_plugin_name: str
    _auth_plugin_map: object

    def _get_server_information(self) -> None:
        super()._get_server_information()  # type: ignore[misc]  # private, not in the stubs
        self._auth_plugin_name = "caching_sha2_password"
        self._auth_plugin_map = {plugin: partial(_Asked, plugin) for plugin in BY_KEY}

    def exchange(self, sent: bytes) -> MysqlPacket:
        self.write_packet(sent)
        answered: MysqlPacket = self._read_packet()  # type: ignore[no-untyped-call]
        return answered

    def _process_auth(self, plugin: bytes, packet: MysqlPacket, handler: "_Asked | None" = None) -> NoReturn:
        """After a request for another plugin."""
        if handler:
            handler.authenticate(packet)
        raise _Seen(b"")

    def set_character_set(self, charset: str, collation: str | None = None) -> NoReturn:
        """PyMySQL calls this after the login: any password was right."""
        raise _Seen(b"")


class _Asked:
    def __init__(self, plugin: str, connection: _AsksForKey) -> None:
        self._plugin, self._connection = plugin, connection

    def authenticate(self, packet: MysqlPacket) -> NoReturn:
        """A scramble of no password makes `caching_sha2_password` want a full login."""
        is_short = self._plugin == "sha256_password"
        if packet.is_auth_switch_request():
            packet = self._connection.exchange(b"\x01" if is_short else secrets.token_bytes(32))
        if not is_short:
            if _content(packet) != FULL_LOGIN:
                raise _Seen(b"")
            packet = self._connection.exchange(b"\x02")
        data = _content(packet)
        raise _Seen(data[1:] if data[:1] == b"\x01" else b"")


def _content(packet: MysqlPacket) -> bytes:
    content: bytes = packet.get_all_data()  # type: ignore[no-untyped-call]  # of PyMySQL
    return content
