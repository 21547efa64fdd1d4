import contextlib
import socket
import threading

import pytest

from workers.servers.target import Target


@pytest.fixture
def server():
    """Whoever connects is given to `talk`, until it hangs up; returns the target."""
    listening = socket.create_server(("127.0.0.1", 0))
    threads, callers = [], []

    def serve(talk) -> Target:
        def once():
            caller, _ = listening.accept()
            callers.append(caller)
            with contextlib.suppress(OSError):  # the product hung up
                talk(caller)

        threads.append(threading.Thread(target=once))
        threads[-1].start()
        return Target("x", "attached", "u", "p", host="127.0.0.1", port=listening.getsockname()[1], tls="off")

    yield serve
    for caller in callers:
        caller.close()
    for thread in threads:
        thread.join()
    listening.close()
