"""Where sysbench connects, and which ways to log in its client library may take (workers.servers.logins).

MariaDB's library answers whatever a server asks for: clear text, `mysql_old_password`, an RSA key that the server
sends. sysbench has no option against that. But this library (from 3.3 on) reads a text with `=` in place of a host name
as a list of options, and `restricted-auth` is one of them. MySQL's library refuses these ways by itself.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from workers.host import temporary
from workers.servers.logins import for_sysbench
from workers.servers.target import Target

BETWEEN_WAYS = ":"  # sysbench takes a comma as the end of a host name; the library searches this text for a name


@contextmanager
def address(target: Target) -> Iterator[list[str]]:
    """sysbench's arguments. For the client library, localhost means the system's socket file, whatever the port."""
    if target.socket:
        yield [f"--mysql-socket={target.socket}"]
        return
    host = "127.0.0.1" if target.host.lower() in ("", "localhost") else target.host
    with _key_file(target.key_pin) as key:
        options = {"host": host, "restricted-auth": BETWEEN_WAYS.join(for_sysbench(target)), **key}
        text = ";".join(f"{name}={value}" for name, value in options.items()) if _is_mariadbs() else host
        yield [f"--mysql-host={text}", f"--mysql-port={target.port}"]


@contextmanager
def _key_file(pem: str) -> Iterator[dict[str, str]]:
    """The library's option; none without a key."""
    if not pem:
        yield {}
        return
    with temporary.folder("key") as folder:
        (folder / "key.pem").write_text(pem)
        yield {"server-public-key": str(folder / "key.pem")}


def _is_mariadbs() -> bool:
    """Whether the installed sysbench uses MariaDB's client library. One that is linked otherwise is taken for it: if it
    is another, it finds no host of such a name, and nothing is sent."""
    found = shutil.which("sysbench")
    return found is not None and not _names_mysqls(Path(found).resolve())


@cache
def _names_mysqls(program: Path) -> bool:
    return b"libmysqlclient.so" in program.read_bytes()
