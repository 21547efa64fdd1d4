"""Where sysbench connects, and which ways to log in its client library may take (workers.servers.logins).

MariaDB's library answers whatever a server asks for: clear text, `mysql_old_password`, an RSA key that the server
sends. sysbench has no option against that. But this library (from 3.3 on) reads a text with `=` in place of a host name
as a list of options. `restricted-auth` is one of them, and `ssl-fp`: the fingerprint of the only certificate that it
accepts. Without `ssl-fp` it would go back to plain text where a server offers no TLS. An older library
finds no host of such a name. MySQL's library (workers.servers.loads) gets the address alone.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha1

from workers.host import temporary
from workers.servers import loads
from workers.servers.logins import for_sysbench
from workers.servers.target import Target

BETWEEN_WAYS = ":"  # sysbench takes a comma as the end of a host name; the library searches this text for a name


@contextmanager
def address(target: Target, certificate: bytes = b"") -> Iterator[list[str]]:
    """sysbench's arguments. `certificate`: of the encryption. For the client library, localhost means the system's
    socket file, whatever the port. Raises PlanError."""
    if target.socket:
        yield [f"--mysql-socket={target.socket}"]
        return
    loads.check(target)
    host = "127.0.0.1" if target.host.lower() in ("", "localhost") else target.host
    options = {"host": host, "restricted-auth": BETWEEN_WAYS.join(for_sysbench(target))}
    with _pin(target, certificate) as pin:
        text = ";".join(f"{name}={value}" for name, value in (options | pin).items())
        yield [f"--mysql-host={text if loads.is_mariadbs() else host}", f"--mysql-port={target.port}"]


@contextmanager
def _pin(target: Target, certificate: bytes) -> Iterator[dict[str, str]]:
    """The library's option: the certificate under TLS, else the confirmed key, if there is one. SHA-1 is the only form
    that 3.3 knows. Nobody can make another certificate that has the SHA-1 of a given one."""
    if target.encrypts_loads:
        yield {"ssl-fp": sha1(certificate, usedforsecurity=False).hexdigest()}  # of b"": that of no certificate
    elif target.key_pin:
        with temporary.folder("key") as folder:
            (folder / "key.pem").write_text(target.key_pin)
            yield {"server-public-key": str(folder / "key.pem")}
    else:
        yield {}
