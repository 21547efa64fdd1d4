"""The process of the wires: python -m workers.topology.network.forward UID GID PARENT

Each wire is a port of 127.0.0.1; its connections go on to another port there. The module imports little, because a
trial waits for its start.
"""

import contextlib
import gc
import resource
import socket
import struct
import sys
from collections import deque

from workers.topology.network.loop import IN, OUT, Command, DelayLine, Loop, serve

HOST = "127.0.0.1"
READ_BYTES = 256 << 10
MOST_UNDER_WAY = 16 << 20  # bytes of one direction of a connection: 800 MB/s at 20 ms
PIECE_BYTES = 256  # memory that a piece of one byte needs
MOST_CONNECTIONS = 200  # of one wire; more wait to be accepted
BACKLOG = 128
RESET = struct.pack("ii", 1, 0)  # SO_LINGER: close sends a reset

_read = memoryview(bytearray(READ_BYTES))


class ForwardedWire:
    """Its ends are sockets to clients (near) and to the target (far)."""

    def __init__(self, loop: Loop, target: int, delay_us: int) -> None:
        self.loop, self.target, self.line = loop, target, DelayLine(delay_us / 1e6)
        self.ends: set[End] = set()
        loop.lines.append(self.line)
        self._place = _bound(0)  # keeps the port while nothing listens
        self.port: int = self._place.getsockname()[1]
        self._listener: socket.socket | None = None
        self._hold(False)

    def delay(self, us: int) -> None:
        self.line.delay_s = us / 1e6

    def redirect(self, target: int) -> None:
        self.target = target

    def partition(self) -> None:
        self._hold(True)

    def heal(self) -> None:
        self._hold(False)

    def cut(self) -> None:
        self.line.lose()
        if self._listener:  # first, or a client whose connection is reset could already wait here again
            self.loop.watch(self._listener.fileno(), 0, self._accept)
            self._listener.close()
            self._listener = None
        for end in list(self.ends):
            end.close(reset=True)

    def watch(self) -> None:
        """Accept connections, or let them wait."""
        if self._listener:
            waits = self.line.held or len(self.ends) >= 2 * MOST_CONNECTIONS
            self.loop.watch(self._listener.fileno(), 0 if waits else IN, self._accept)

    def _hold(self, held: bool) -> None:
        self.line.held = held
        if not self._listener:
            self._listener = _bound(self.port)
            self._listener.listen(BACKLOG)
        self.watch()
        for end in self.ends:
            end.watch()

    def _accept(self, _: int) -> None:
        with contextlib.suppress(OSError):  # the client has gone away
            if self._listener:
                accepted, dialing = self._listener.accept()[0], socket.socket()
                near, far = End(self, accepted), End(self, dialing, far=True)
                near.peer, far.peer = far, near
                near.watch()
                self.line.put(far.dial)
        self.watch()


class End:
    """One of the two sockets of a connection. Whatever is read here is written by its peer, later."""

    peer: "End"

    def __init__(self, wire: ForwardedWire, sock: socket.socket, *, far: bool = False) -> None:
        self._wire, self._socket = wire, sock
        self._connected, self._dialing, self._closed = not far, False, False
        self._heard_all = self._told_all = self._over = False
        self._unwritten: deque[bytes] = deque()
        self._written = 0  # bytes of the first of them
        self._under_way = 0  # bytes read here that the peer has not written yet
        self._full = False
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        wire.ends.add(self)

    def watch(self) -> None:
        if self._closed:
            return
        reads = self._connected and not self._heard_all and not self._full
        writes = self._dialing or (self._connected and self._unwritten)
        events = 0 if self._wire.line.held else (IN if reads else 0) | (OUT if writes else 0)
        self._wire.loop.watch(self._socket.fileno(), events, self._ready)

    # The delay line calls these four.

    def dial(self, _: bytes) -> None:
        if not self._closed:
            self._dialing = True
            self._socket.connect_ex((HOST, self._wire.target))
            self.watch()

    def write(self, data: bytes) -> None:
        if not self._closed:
            self._unwritten.append(data)
            if self._connected and len(self._unwritten) == 1:
                self._flush()

    def finish(self, _: bytes) -> None:
        if not self._closed:
            self._told_all = True
            if self._connected:
                self._flush()

    def reset(self, _: bytes) -> None:
        self.close(reset=True)
        self.peer.close(reset=True)

    def close(self, *, reset: bool = False) -> None:
        if self._closed:
            return
        self._closed = True
        self._wire.loop.watch(self._socket.fileno(), 0, self._ready)
        if reset:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self._socket.close()
        self._unwritten.clear()
        self._wire.ends.discard(self)
        self._wire.watch()
        gc.collect()  # it is off, and the two ends know each other

    def _ready(self, events: int) -> None:
        if self._dialing:
            self._dialed()
        elif events & OUT:
            self._flush()
        if events & ~OUT and self._connected and not self._closed:
            self._read()

    def _dialed(self) -> None:
        self._dialing = False
        if self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            self._broke()
        else:
            self._connected = True
            self._flush()

    def _read(self) -> None:
        try:
            size = self._socket.recv_into(_read)
        except BlockingIOError:
            return
        except OSError:
            self._broke()
            return
        if size:
            self._pass_on(_read[:size])
        else:
            self._heard_all = True
            self.watch()
            self._wire.line.put(self.peer.finish)

    def _pass_on(self, data: memoryview) -> None:
        if self._wire.line.passes_at_once and self.peer.idle:
            data = data[self.peer.send(data) :]
        if data:
            self._under_way += len(data) + PIECE_BYTES
            if self._under_way > MOST_UNDER_WAY:
                self._full = True
                self.watch()
            self._wire.line.put(self.peer.write, bytes(data))

    @property
    def idle(self) -> bool:
        return self._connected and not self._unwritten

    def send(self, data: memoryview) -> int:
        """How many bytes the socket took. A broken one takes all."""
        if not self._connected:
            return len(data)
        try:
            return self._socket.send(data)
        except BlockingIOError:
            return 0
        except OSError:
            self._broke()
            return len(data)

    def _flush(self) -> None:
        while self._unwritten:
            piece = self._unwritten[0]
            self._written += self.send(memoryview(piece)[self._written :])
            if self._written < len(piece):
                break
            self._written = 0
            self.peer.landed(len(self._unwritten.popleft()))
        if self._told_all and not self._unwritten:
            self._end()
        self.watch()

    def landed(self, size: int) -> None:
        self._under_way -= size + PIECE_BYTES
        if self._full and self._under_way < MOST_UNDER_WAY // 2:
            self._full = False
            self.watch()

    def _end(self) -> None:
        """Nothing more will be written here. The connection is over when that is so on both sides."""
        with contextlib.suppress(OSError):  # it has gone away
            self._socket.shutdown(socket.SHUT_WR)
        self._over = True
        if self.peer._over:
            self.close()
            self.peer.close()

    def _broke(self) -> None:
        """The socket was reset, or its target refused it. The other side hears of it when it can."""
        self._connected = False
        self.watch()
        self._wire.line.put(self.peer.reset)


def _bound(port: int) -> socket.socket:
    """SO_REUSEPORT: a socket that does not listen may share the port with one that does, of the same user only."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    sock.setblocking(False)
    sock.bind((HOST, port))
    return sock


ACTS: dict[str, Command] = {
    "delay": ForwardedWire.delay,
    "partition": ForwardedWire.partition,
    "heal": ForwardedWire.heal,
    "cut": ForwardedWire.cut,
    "redirect": ForwardedWire.redirect,
}


def main(uid: int, gid: int, parent: int) -> None:
    loop, wires = Loop(), list[ForwardedWire]()

    def join(target: int, delay_us: int) -> tuple[int, ...]:
        wires.append(ForwardedWire(loop, target, delay_us))
        return len(wires) - 1, wires[-1].port

    def on_a_wire(act: Command) -> Command:
        return lambda wire, *numbers: act(wires[wire], *numbers)

    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    gc.freeze()
    serve(loop, {"join": join, **{name: on_a_wire(act) for name, act in ACTS.items()}}, uid, gid, parent)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
