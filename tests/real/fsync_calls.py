"""Not a test: the program that test_fsync_trace_library.py preloads the trace into."""

import contextlib
import mmap
import os
import sys
import threading
from pathlib import Path

folder = sys.argv[1]


def opened(name: str) -> int:
    return os.open(f"{folder}/{name}", os.O_RDWR | os.O_CREAT)


def many_files(n: int) -> None:
    for i in range(n):
        fd = opened(f"file{i}")
        os.fsync(fd)
        os.close(fd)


def every_call() -> None:
    a, b, c = opened("a"), opened("b"), opened("threads")
    for _ in range(3):
        os.fsync(a)
    for _ in range(2):
        os.fdatasync(a)
    os.fsync(b)
    os.ftruncate(b, 4096)
    with mmap.mmap(b, 4096) as mapped:
        mapped.flush()
    for i in range(20):
        fd = opened(f"reused{i}")
        os.fsync(fd)
        os.close(fd)
        Path(folder, f"reused{i}").unlink()
    with contextlib.suppress(OSError):
        os.fsync(9999)
    threads = [threading.Thread(target=lambda: [os.fdatasync(c) for _ in range(50)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if len(sys.argv) > 2:
    many_files(int(sys.argv[2]))
else:
    every_call()
