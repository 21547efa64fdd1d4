"""Where a server is and how to log in: the one value that every domain package takes."""

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["attached", "sandbox"]
TlsMode = Literal["off", "preferred", "required", "verify"]


@dataclass(frozen=True)
class Target:
    """An address and an account of a running server.

    `socket` wins over `host` and `port` when set. `tls`: *off* never; *preferred* when the server offers it,
    though never through a socket file and never for the load itself (workers.bench.tls says why); *required*
    always but any certificate; *verify* always, and the certificate must match the host name and `tls_ca` (path of
    a PEM file; empty: the system's authorities, which sysbench cannot be trusted with: then no load is started).
    """

    name: str
    kind: Kind
    user: str
    password: str = field(repr=False)
    host: str = ""
    port: int = 3306
    socket: str = ""
    tls: TlsMode = "preferred"
    tls_ca: str = ""

    @property
    def where(self) -> str:
        """The address as people write it, without the account."""
        return self.socket or f"{self.host}:{self.port}"
