"""The disk's process: python -m workers.sandbox.disk IMAGE FUSE CONTROL_SOCKET [replay]

Serves IMAGE, a file whose size is a multiple of 4096, to what the descriptor FUSE is mounted on, until it is unmounted.
The end of the process is a power cut. With `replay`, IMAGE is never changed. It imports little, because each disk waits
for its process to start.
"""

import os
import select
import socket
import sys
from functools import partial
from pathlib import Path

from workers.host.io_flusher import be_io_flusher
from workers.host.punctual import be_punctual
from workers.sandbox.disk.cache import Cache
from workers.sandbox.disk.control import obey
from workers.sandbox.disk.device import VolatileDevice
from workers.sandbox.disk.fuse import FuseMount, Request
from workers.sandbox.disk.image import Image, StateImage


def main(file: Path, fuse: int, control: Path, *, replay: bool) -> None:
    be_punctual()
    be_io_flusher()  # where it may; `doctor` and the page of workers say where not
    fd = os.open(file, (os.O_RDONLY if replay else os.O_RDWR) | os.O_CLOEXEC)
    cache = Cache(StateImage(fd) if replay else Image(fd), os.fstat(fd).st_size)
    with socket.socket(socket.AF_UNIX) as listener:
        connection = FuseMount(fuse, cache.size_bytes)
        _listen(listener, control)
        serve(VolatileDevice(cache), connection, listener)


def serve(device: VolatileDevice, connection: FuseMount, listener: socket.socket) -> None:
    while True:
        ready, _, _ = select.select([connection.fd, listener.fileno()], [], [], device.wait_s())
        device.tick()
        if listener.fileno() in ready:
            _converse(device, listener)
        if connection.fd in ready:
            try:
                request = connection.receive()
            except ConnectionError:
                return
            if request:
                _handle(device, connection, request)


def _handle(device: VolatileDevice, connection: FuseMount, request: Request) -> None:
    if request.data is not None:
        device.write(request.offset, request.data)
        connection.written(request.unique, request.length)
    elif request.kind == "read":
        connection.answer(request.unique, device.read(request.offset, request.length))
    else:
        device.flush(partial(connection.answer, request.unique, b""))


def _converse(device: VolatileDevice, listener: socket.socket) -> None:
    """One line, one answer. A silent caller stops the disk for a second at most."""
    with listener.accept()[0] as caller:
        caller.settimeout(1)
        try:
            line, fds, *_ = socket.recv_fds(caller, 256, 1)
        except OSError:
            return
        try:
            caller.sendall(obey(device, line.decode(errors="replace"), fds).encode() + b"\n")
        except OSError:
            return
        finally:
            for fd in fds:
                os.close(fd)


def _listen(listener: socket.socket, control: Path) -> None:
    os.umask(0o177)  # only the worker's user may cut the power
    listener.bind(str(control))
    listener.listen()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]), replay=sys.argv[4:] == ["replay"])
