"""TLS for sysbench, whose client library needs three files.

With --mysql-ssl=on sysbench 1.0 reads `cacert.pem`, `client-cert.pem` and `client-key.pem` from its working folder and
needs all three. It checks the server's certificate against `cacert.pem`, but not the host name, and it cannot fall back
to plain text. Hence:

- *off*, *preferred*: plain text, because encryption would change every figure.
- *required*: the authority is `tls_ca`, else the server's own certificate, if it is self-signed.
- *verify*: the authority must be `tls_ca`. A connection of ours checks the host name just before. The system's
  authorities are refused: sysbench would accept their certificate for any name.

There is no client certificate, and a server refuses an invented one. So the file holds a certificate that TLS 1.3
cannot sign with (secp256k1): the library loads it and never sends it.
"""

import datetime
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from workers.bench.workloads import LUA_FOLDER
from workers.errors import PlanError
from workers.host import temporary
from workers.servers.connection import authority, connect
from workers.servers.target import Target


@contextmanager
def chosen(target: Target) -> Iterator[tuple[str, Path]]:
    """sysbench's argument for TLS, and its working folder.

    Raises PlanError when sysbench cannot do it, and the errors of `connect`.
    """
    if target.tls in ("off", "preferred"):
        yield "--mysql-ssl=off", LUA_FOLDER  # no folder is needed that a killed worker would leave behind
        return
    with temporary.folder("tls") as folder:
        (folder / "cacert.pem").write_text(_authority(target))
        _write_unused_client(folder)
        yield "--mysql-ssl=on", folder


def _authority(target: Target) -> str:
    """PEM text of the certificates that sysbench trusts."""
    if target.tls == "verify" and not target.tls_ca:
        raise PlanError(
            "sysbench checks the authority of a certificate, but not its host name. Trusting all authorities of the "
            "system would verify nothing; no load was started.",
            "Give the PEM file of the authority that signs your servers, or choose the TLS mode 'required'.",
        )
    with connect(target) as connection:  # in mode *verify* it checks name and authority
        own = x509.load_der_x509_certificate(connection.certificate())
    return authority(target) if target.tls_ca else _self_signed(own, target)


def _self_signed(certificate: x509.Certificate, target: Target) -> str:
    if certificate.issuer != certificate.subject:
        raise PlanError(
            f"An authority that sysbench does not know signed the certificate of {target.where}; no load was started.",
            "Give the authority's PEM file (tls_ca), or choose the TLS mode 'preferred' to measure without TLS.",
        )
    return ssl.DER_cert_to_PEM_cert(certificate.public_bytes(serialization.Encoding.DER))


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
