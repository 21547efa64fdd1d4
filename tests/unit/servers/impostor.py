"""Something in a server's place that asks for the password in a way that lets it read it."""

import contextlib
import socket
import struct
import threading

from workers.servers import session
from workers.servers.target import Target

PASSWORD = b"hunter2"
CAPABILITIES = 0x1 | 0x8 | 0x200 | 0x8000 | 0x80000  # protocol 4.1, logging in by plugins
TLS = 0x800
TLS_WISH = 36  # bytes of the packet after which both sides encrypt
SALT = b"A" * 20 + b"\0"
ASKS = {  # plugin -> what comes with the request for it
    "dialog": b"\x04Password: ",
    "mysql_clear_password": b"",
    "mysql_old_password": b"12345678\0",
    "caching_sha2_password": SALT,
    "sha256_password": SALT,
    "client_ed25519": b"A" * 32,
    "parsec": b"A" * 32,
    "never_heard_of": b"",
}
AT_ONCE = {"caching_sha2_password": b"\x04"}  # after a greeting with this plugin, another request than ASKS
FULL_LOGIN = b"\x01\x04"  # of caching_sha2_password
OK = b"\x00\x00\x00\x02\x00\x00\x00"


def packet(body, number):
    return len(body).to_bytes(3, "little") + bytes([number]) + body


def greeting(plugin, more=0):
    low, high = (CAPABILITIES | more) & 0xFFFF, CAPABILITIES >> 16
    first = b"\x0a11.4.0-MariaDB\0" + struct.pack("<I", 1) + b"A" * 8 + b"\0"
    second = struct.pack("<HBHHB", low, 45, 2, high, 21) + bytes(10) + b"B" * 12 + b"\0"
    return first + second + plugin.encode() + b"\0"


def log_in(caller):
    caller.sendall(packet(greeting("mysql_native_password"), 0))
    caller.recv(4096)
    caller.sendall(packet(OK, 2))
    for _ in session.STATEMENTS:
        caller.recv(4096)
        caller.sendall(packet(OK, 1))


class OneCaller:
    """Takes one caller. `_answer` talks to it."""

    def __init__(self, listening):
        self._listening = listening
        self._thread = threading.Thread(target=self._talk)
        self._thread.start()

    def _talk(self):
        caller, _ = self._listening.accept()
        caller.settimeout(5)
        with caller, contextlib.suppress(OSError):  # the product hung up
            self._answer(caller)

    def ended(self):
        self._thread.join()
        self._listening.close()


class Impostor(OneCaller):
    """Asks as `plugin` does, and keeps what the caller sent."""

    def __init__(self, listening, plugin, at_once=False, tls=None, more=(), says=b""):
        """`says`: its first request, instead of that of the plugin. `more`: packets after the answer to it."""
        self.heard, self._tls = b"", tls
        self._greets = packet(greeting(plugin if at_once else "mysql_native_password", TLS if tls else 0), 0)
        ours = ASKS.get(plugin, b"")
        asked = b"\x01" + AT_ONCE.get(plugin, ours) if at_once else b"\xfe" + plugin.encode() + b"\0" + ours
        self._asks = [says or asked, *more]
        super().__init__(listening)

    def _answer(self, caller):
        caller.sendall(self._greets)
        if self._tls:
            caller.recv(TLS_WISH)
            caller = self._tls.wrap_socket(caller, server_side=True)
        self.heard += (said := caller.recv(4096))
        for asked in self._asks:
            if said:
                caller.sendall(packet(asked, said[3] + 1))
                self.heard += (said := caller.recv(4096))
        caller.close()

    def all_that_it_heard(self):
        self.ended()
        return self.heard


class OffersTls(OneCaller):
    """Offers TLS, and hangs up as soon as the caller has answered."""

    heard = b""

    def _answer(self, caller):
        caller.sendall(packet(greeting("mysql_native_password", TLS), 0))
        self.heard = caller.recv(TLS_WISH)

    def was_asked_for_tls(self):
        self.ended()
        return int.from_bytes(self.heard[:3], "little") == TLS_WISH - 4  # the length is not counted


def target(listening, **known):
    """Its address: of a port of this host, or of a socket file."""
    place = listening.getsockname()
    way = {"socket": place} if isinstance(place, str) else {"host": "localhost", "port": place[1]}
    return Target("x", "attached", "u", PASSWORD.decode(), **way, **known)


def socket_file(folder):
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(folder / "x.sock"))
    listening.listen()
    return listening
