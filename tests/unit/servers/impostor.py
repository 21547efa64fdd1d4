"""Something in a server's place that asks for the password in clear text."""

import socket
import struct
import threading

from workers.servers.target import Target

PASSWORD = b"hunter2"
CAPABILITIES = 0x1 | 0x8 | 0x200 | 0x8000 | 0x80000  # protocol 4.1, logging in by plugins
TLS = 0x800
TLS_WISH = 36  # bytes of the packet after which both sides encrypt
PROMPT = {"dialog": b"\x04Password: ", "mysql_clear_password": b"", "caching_sha2_password": b"\x04"}


def packet(body, number):
    return len(body).to_bytes(3, "little") + bytes([number]) + body


def greeting(plugin, more=0):
    low, high = (CAPABILITIES | more) & 0xFFFF, CAPABILITIES >> 16
    first = b"\x0a11.4.0-MariaDB\0" + struct.pack("<I", 1) + b"A" * 8 + b"\0"
    second = struct.pack("<HBHHB", low, 45, 2, high, 21) + bytes(10) + b"B" * 12 + b"\0"
    return first + second + plugin.encode() + b"\0"


class OneCaller:
    """Takes one caller. `_answer` talks to it."""

    def __init__(self, listening):
        self._listening = listening
        self._thread = threading.Thread(target=self._talk)
        self._thread.start()

    def _talk(self):
        caller, _ = self._listening.accept()
        caller.settimeout(5)
        with caller:
            self._answer(caller)

    def ended(self):
        self._thread.join()
        self._listening.close()


class Impostor(OneCaller):
    """Asks as `plugin` does, and keeps what the caller sent."""

    def __init__(self, listening, plugin, at_once=False, tls=None):
        self.heard, self._tls = b"", tls
        self._greets = packet(greeting(plugin if at_once else "mysql_native_password", TLS if tls else 0), 0)
        asked = b"\x01" if at_once else b"\xfe" + plugin.encode() + b"\0"
        self._asks = packet(asked + PROMPT[plugin], 3 if tls else 2)
        super().__init__(listening)

    def _answer(self, caller):
        caller.sendall(self._greets)
        if self._tls:
            caller.recv(TLS_WISH)
            caller = self._tls.wrap_socket(caller, server_side=True)
        self.heard += caller.recv(4096)
        caller.sendall(self._asks)
        self.heard += caller.recv(4096)
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
