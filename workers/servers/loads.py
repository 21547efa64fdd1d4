"""Whether a load can log in so that only the right server can read the password. *Test connection* tells it, and each
load asks it again (workers.bench).

sysbench's own connections count, not ours: they are plain in the TLS modes *off* and *preferred*. Under TLS they accept
only the certificate that a connection of ours has just checked. Its client library must be MariaDB's: MySQL's gives the
password to any server that asks for it by `sha256_password`, and has no option against it.
"""

import shutil
from functools import cache
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm

from workers.errors import PlanError
from workers.servers.logins import for_sysbench
from workers.servers.target import Target

LIBRARY = b"libmariadb.so"


def check(target: Target, certificate: bytes = b"", plugin: str = "") -> None:
    """Raises PlanError. `certificate` (DER) and `plugin`: of a connection of ours; empty: not known yet."""
    if target.tls == "verify" and not target.tls_ca:
        raise PlanError(
            "sysbench cannot check a certificate with the authorities of the system; no load was started.",
            "Give the PEM file of the authority that signs your servers, or choose the TLS mode 'required'.",
        )
    if target.tls == "required" and not target.tls_ca and certificate and not _is_self_signed(certificate):
        raise PlanError(
            f"An authority that sysbench does not know signed the certificate of {target.where}; no load was started.",
            "Give the authority's PEM file (tls_ca), or choose the TLS mode 'preferred' to measure without TLS.",
        )
    if target.socket:
        return
    if plugin and plugin not in for_sysbench(target):
        raise _exposed(target, plugin)
    if target.kind == "attached" and not target.any_key and not is_mariadbs():
        raise PlanError(
            f"sysbench on the worker's host has no client library of MariaDB. Another one would give the password to "
            f"any machine that answers at {target.where}; no load was started.",
            "Enter the server's socket file, or use a worker on Debian, whose sysbench has MariaDB's library.",
        )


def _exposed(target: Target, plugin: str) -> PlanError:
    if target.encrypts_loads:
        what, todo = "nobody has confirmed the server's certificate", "Confirm it on the server's page"
    else:
        what = f"a load in the TLS mode '{target.tls}' is not encrypted"
        todo = "Choose the TLS mode 'required' or 'verify'"
    return PlanError(
        f"The account logs in by {plugin}, and {what}: another machine could read the password. No load was started.",
        f"{todo}, enter a socket file, or give the account mysql_native_password.",
    )


def _is_self_signed(certificate: bytes) -> bool:
    """By its own key: its names alone could be anybody's."""
    try:
        read = x509.load_der_x509_certificate(certificate)
        read.verify_directly_issued_by(read)
    except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
        return False
    return True


def is_mariadbs() -> bool:
    """Whether sysbench uses MariaDB's client library. Without sysbench there is no load."""
    found = shutil.which("sysbench")
    return found is None or _names(Path(found).resolve())


@cache
def _names(program: Path) -> bool:
    return LIBRARY in program.read_bytes()
