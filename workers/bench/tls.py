"""TLS for sysbench, whose client library needs three files.

With --mysql-ssl=on sysbench 1.0 reads `cacert.pem`, `client-cert.pem` and `client-key.pem` from its working folder and
needs all three. It checks the server's certificate against `cacert.pem`, but not the host name. So a connection of ours
checks the certificate just before, and sysbench accepts no other one (workers.bench.login). Hence:

- *off*, *preferred*: plain text, because encryption would change every figure.
- *required*: the authority is `tls_ca`, else the server's own certificate, if it is self-signed.
- *verify*: the authority must be `tls_ca`.

There is no client certificate, and a server refuses an invented one. So the file holds a certificate that TLS 1.3
cannot sign with (secp256k1): the library loads it and never sends it.
"""

import datetime
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from workers.bench.workloads import LUA_FOLDER
from workers.host import temporary
from workers.servers import loads
from workers.servers.connection import authority, connect
from workers.servers.target import Target


@dataclass(frozen=True)
class Encryption:
    """sysbench's argument, its working folder, and the only certificate (DER) that it accepts; b"": it is plain."""

    argument: str
    folder: Path
    certificate: bytes = b""


@contextmanager
def chosen(target: Target) -> Iterator[Encryption]:
    """Raises PlanError when sysbench cannot do it, and the errors of `connect`."""
    if not target.encrypts_loads:
        yield Encryption("--mysql-ssl=off", LUA_FOLDER)  # a folder would be left behind by a killed worker
        return
    loads.check(target)
    with connect(target) as connection:  # in mode *verify* it checks name and authority
        certificate = connection.certificate()
        loads.check(target, certificate, connection.plugin)
    with temporary.folder("tls") as folder:
        trusted = authority(target) if target.tls_ca else ssl.DER_cert_to_PEM_cert(certificate)
        (folder / "cacert.pem").write_text(trusted)
        _write_unused_client(folder)
        yield Encryption("--mysql-ssl=on", folder, certificate)


def _write_unused_client(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256K1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "none")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=2))
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "client-cert.pem").write_bytes(certificate.public_bytes(pem))
    plain = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "client-key.pem").write_bytes(plain)
