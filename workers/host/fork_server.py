"""The process that makes the children of `apart`: `python -m workers.host.fork_server MODULE...`, with its control
socket as standard input. It ends when the other end is closed. Its children end with it."""

import gc
import importlib
import math
import os
import pickle
import signal
import socket
import sys
import traceback
from contextlib import suppress
from ctypes import CDLL

from workers.errors import DurascopeError, reason
from workers.host.apart import MOST_RESULT_BYTES, ApartLimits, BrokeOff, receive, send
from workers.host.limits import keep_limits

PR_SET_PDEATHSIG = 1


def serve(control: socket.socket) -> None:
    libc = CDLL(None)
    server = os.getpid()
    while True:
        said, files, _, _ = socket.recv_fds(control, 1, 1)
        if not said:
            return
        if not files:  # it may open no more: the parent reads the end of its link
            continue
        with socket.socket(fileno=files[0]) as link:
            try:
                child = os.fork()
            except OSError:  # the host has no process left: the parent reads the end of its link
                continue
            if child:
                _name(link, child)
                continue
            try:
                libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
                if os.getppid() == server:
                    control.close()
                    _work(link)
            except (EOFError, OSError):  # the parent has gone
                pass
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(0)


def _name(link: socket.socket, child: int) -> None:
    """The parent gets the child as a pidfd before the child gets its work."""
    try:
        pidfd = os.pidfd_open(child)
    except OSError:  # before Linux 5.3, or it has ended: the parent reads the end
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        return
    try:
        socket.send_fds(link, [b"p"], [pidfd])
    except OSError:  # the parent has gone: the child reads the end
        pass
    finally:
        os.close(pidfd)


def _work(link: socket.socket) -> None:
    limits, work, args, kwargs = pickle.loads(receive(link, math.inf))  # noqa: S301 - from a process of ours
    assert isinstance(limits, ApartLimits)
    keep_limits(limits.memory_bytes, math.ceil(limits.seconds) + 1)
    answer: tuple[object, Exception | None]
    try:
        answer = work(*args, **kwargs), None
    except (DurascopeError, OSError) as failure:
        answer = None, failure
    except MemoryError:
        return  # the parent reads the end
    except Exception as failure:
        answer = None, BrokeOff(f"failed ({reason(failure)})")
    data = pickle.dumps(answer)
    if len(data) <= MOST_RESULT_BYTES:
        send(link, data)


def main() -> None:
    for ignored in (signal.SIGINT, signal.SIGTERM):  # meant for the worker, which may still want its children
        signal.signal(ignored, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the children
    control = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    for name in sys.argv[1:]:
        importlib.import_module(name)
    gc.freeze()  # so that children share these objects
    serve(control)


if __name__ == "__main__":
    main()
