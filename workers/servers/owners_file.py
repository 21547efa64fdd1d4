"""Reads a file whose path a user typed. The path may lead to a device, a FIFO, an endless file or a file system that
does not answer: none of them may block a worker's thread."""

import os
import stat
import threading
from concurrent.futures import Future

MOST_BYTES = 1 << 20  # a bundle of all public authorities has a quarter of that
LIMIT_S = 5.0
MOST_WAITING = 4  # blocked reads; each keeps a thread until the file system answers
_waiting = threading.BoundedSemaphore(MOST_WAITING)


def read(path: str, limit_s: float = LIMIT_S) -> bytes:
    """The content of a regular file of at most MOST_BYTES. Raises OSError, with a sentence in `strerror`. A thread that
    takes longer is left alone: a read from a dead network file system cannot be interrupted."""
    if not _waiting.acquire(blocking=False):
        raise TimeoutError(0, f"{MOST_WAITING} earlier reads still wait for their file systems")
    content: Future[bytes] = Future()

    def run() -> None:
        try:
            content.set_result(_read(path))
        except BaseException as error:
            content.set_exception(error)
        finally:
            _waiting.release()

    thread = threading.Thread(target=run, name="owners-file", daemon=True)
    thread.start()
    thread.join(limit_s)
    if not content.done():
        raise TimeoutError(0, f"its file system did not answer within {limit_s:g} s")
    return content.result()


def _read(path: str) -> bytes:
    """O_PATH does not open a device: opening a watchdog device can restart the machine."""
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        found = os.fstat(place)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(0, "it is no regular file")
        if not found.st_size:  # also of files of the kernel: reading some blocks, reading others changes them
            raise OSError(0, "it is empty")
        opened = os.open(f"/proc/self/fd/{place}", os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    finally:
        os.close(place)
    with os.fdopen(opened, "rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise OSError(0, f"it has more than {MOST_BYTES >> 20} MiB")
    return content
