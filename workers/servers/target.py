"""The address of a server and how to log in."""

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["attached", "sandbox"]
TlsMode = Literal["off", "preferred", "required", "verify"]


@dataclass(frozen=True)
class Target:
    """An address and an account of a running server.

    `socket` wins over `host` and `port`. `tls`: *off*: never; *preferred*: when the server offers it, but never through
    a socket file and never for the load (see workers.bench.tls); *required*: always, with any certificate; *verify*:
    always, and the certificate must match the host name and `tls_ca` (path of a PEM file; empty: the system's
    authorities, with which no load can be started).
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
    certificate_pin: str = ""  # the fingerprint that a person confirmed (workers.servers.pins); "": none
    key_pin: str = ""  # the RSA key that a person confirmed, as PEM; "": none
    any_key: bool = False  # of a server that 0.2.0 registered: until it is confirmed, any key is accepted

    @property
    def where(self) -> str:
        """The address as people write it, without the account."""
        return self.socket or f"{self.host}:{self.port}"

    @property
    def encrypts_loads(self) -> bool:
        """Else they are plain, because encryption would change every figure."""
        return self.tls in ("required", "verify")
