"""Opening a connection to a server."""

import socket
import ssl

import pymysql
from pymysql.constants import COMMAND, ER, SERVER_STATUS
from pymysql.protocol import OKPacketWrapper

from workers.errors import AccessDenied, DurascopeError, PlanError, Unreachable
from workers.servers import ask, keys, logins, owners_file, pins, session
from workers.servers.driver_errors import explain
from workers.servers.limited import CONVERSIONS, LOGIN_BYTES, Connection, unverified
from workers.servers.printable import printable
from workers.servers.target import Target

ANSWER_S = 60.0  # the longest wait for one answer: DROP DATABASE and resizing a buffer pool are slow


class OurSession(Connection):
    # Private in PyMySQL, see Connection.
    _auth_plugin_name: str
    _auth_plugin_map: logins.Ways

    def _get_server_information(self) -> None:
        """What the greeting says. PyMySQL would answer it with the password itself under TLS, or ask for a key."""
        super()._get_server_information()  # type: ignore[misc]  # private, not in the stubs
        if self._auth_plugin_name in ("sha256_password", *logins.CLEAR):
            self._auth_plugin_map.greeted, self._auth_plugin_name = self._auth_plugin_name, logins.UNDECIDED

    def set_character_set(self, charset: str, collation: str | None = None) -> None:
        """PyMySQL calls this at the end of each login. It sets the rest too."""
        status = 0
        for statement in session.STATEMENTS:
            status = self._said(statement)
        if status & SERVER_STATUS.SERVER_STATUS_IN_TRANS:
            self._said(session.LEFT_OPEN)

    def _said(self, statement: str) -> int:
        """The server's status after it."""
        self.command(COMMAND.COM_QUERY, statement.encode())
        return int(OKPacketWrapper(self._read_packet()).server_status)  # type: ignore[no-untyped-call]


def connect(
    target: Target, *, timeout_s: float = 5, answer_s: float = ANSWER_S, whole: tuple[float, int] | None = None
) -> Connection:
    """An open connection with a session as `session` sets it.

    `timeout_s` limits everything up to the login, `answer_s` each answer after it, and `whole` (seconds, bytes) all
    answers together. Raises Unreachable, AccessDenied or ServerError; PlanError when `tls_ca` is not a readable PEM
    file.
    """
    connection = OurSession(
        host=target.host,
        port=target.port,
        unix_socket=target.socket,
        user=target.user,
        password=target.password.encode(),  # PyMySQL sends a str as Latin-1
        charset="utf8mb4",
        autocommit=None,  # the session sets it
        connect_timeout=timeout_s,
        read_timeout=timeout_s,
        write_timeout=timeout_s,
        ssl=_tls(target),
        # A socket file never leaves the host: there, *preferred* means no TLS.
        ssl_disabled=target.tls == "off" or (target.tls == "preferred" and bool(target.socket)),
        server_public_key=target.key_pin.encode() or None,
        defer_connect=True,
        conv=CONVERSIONS,
    )
    connection._auth_plugin_map = ways = logins.Ways(target)
    connection.answer_s = answer_s
    try:
        connection.limit(timeout_s, LOGIN_BYTES)
        connection._secure = bool(target.socket)  # as in PyMySQL: a socket needs no further encryption of passwords
        connection.connect(_socket_file(target, timeout_s))
    except (pymysql.Error, OSError) as error:
        raise _told(error, target, timeout_s) from error
    except AccessDenied:  # from logins and pins
        raise
    except Exception as nonsense:  # the driver trusts the server: IndexError, struct.error, UnicodeDecodeError ...
        raise Unreachable(
            f"{target.where} answers, but not like a MySQL or MariaDB server.",
            "Check the port: something else seems to listen there.",
        ) from nonsense
    connection.plugin = printable(ways.last[: logins.LONGEST_NAME])
    # PyMySQL has one read timeout for login and statements. A silent login must fail fast, a long statement must not.
    connection._read_timeout = connection._write_timeout = answer_s
    connection.limit(*(whole or ()))
    if target.tls in ("required", "verify"):
        _must_be_encrypted(connection, target)
    return connection


def _socket_file(target: Target, timeout_s: float) -> socket.socket | None:
    """The open socket file; None for TCP. PyMySQL leaves its own open when connecting fails."""
    if not target.socket:
        return None
    opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        opened.settimeout(timeout_s)
        opened.connect(target.socket)
    except OSError:
        opened.close()
        raise
    return opened


def cipher(connection: Connection) -> str:
    """The cipher of this connection, as the server reports it; "" when it is not encrypted."""
    return ask.names_to_values(connection, "SHOW SESSION STATUS LIKE 'Ssl_cipher'").get("ssl_cipher", "")


def _told(error: Exception, target: Target, timeout_s: float) -> DurascopeError:
    said = str(error.args[0]) if error.args else ""
    if why := logins.UNEXPECTED.get(said):
        return logins.refused(target.where, why)
    if said == str(ER.ACCESS_DENIED_ERROR) and (other := keys.another_key(target, timeout_s)):
        return other  # the server could not decrypt what was encrypted with the confirmed key
    return explain(error, target.where, sandbox=target.name if target.kind == "sandbox" else "")


def _tls(target: Target) -> ssl.SSLContext | None:
    """None: PyMySQL encrypts when the server offers it."""
    if target.certificate_pin and pins.needs_pin(target) and target.tls != "off":
        return pins.PinnedContext(target)
    if target.tls not in ("required", "verify"):
        return None
    if target.tls == "required" and not target.tls_ca:
        return unverified()
    try:
        context = ssl.create_default_context(cadata=authority(target) if target.tls_ca else None)
    except (ssl.SSLError, ValueError) as no_pem:
        raise _unusable(target, f"it holds no certificate ({no_pem})") from no_pem
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # self-made certificates of servers fail it
    if target.tls == "required":
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def authority(target: Target) -> str:
    """The text of the file `tls_ca`, as ASCII. Raises PlanError."""
    try:
        content = owners_file.read(target.tls_ca)
    except OSError as unreadable:
        raise _unusable(target, unreadable.strerror or str(unreadable)) from unreadable
    return content.decode("ascii", "replace").encode("ascii", "replace").decode() or " "


def _unusable(target: Target, why: str) -> PlanError:
    return PlanError(
        f"The certificate authority file {target.tls_ca} cannot be used: {why}.",
        f"Give the path of a readable PEM file of at most {owners_file.MOST_BYTES >> 20} MiB on the worker's host.",
    )


def _must_be_encrypted(connection: Connection, target: Target) -> None:
    """Ask the server instead of trusting the settings of the driver."""
    if not cipher(connection):
        connection.close()
        raise Unreachable(
            f"{target.where} answers, but the connection is not encrypted, and TLS is required for it.",
            "Turn TLS on at the server (ssl_cert, ssl_key), or choose the TLS mode 'preferred' or 'off'.",
        )
