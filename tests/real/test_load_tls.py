"""sysbench over TLS against a real server, with an account that may not come in plain."""

import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from workers.bench import sysbench
from workers.bench.load import LoadRequest
from workers.errors import AccessDenied, PlanError, Unreachable
from workers.servers.connection import connect
from workers.servers.target import Target

SCHEMA = f"durascope_tls_{secrets.token_hex(4)}"
NEW_KEY = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2")


def make_certificate(folder: Path, name: str, host: str = "localhost", authority: Path | None = None) -> Path:
    """Self-signed, or signed by `authority` (whose key lies beside it)."""
    certificate = folder / f"{name}.pem"
    alternatives = "DNS:localhost,IP:127.0.0.1" if host == "localhost" else f"DNS:{host}"
    says = ("-subj", f"/CN={host}", "-addext", f"subjectAltName={alternatives}")
    signed = ("-CA", authority, "-CAkey", authority.with_suffix(".key")) if authority else ()
    files = ("-keyout", folder / f"{name}.key", "-out", certificate)
    subprocess.run([*NEW_KEY, *says, *signed, *files], check=True, capture_output=True)
    (folder / f"{name}.key").chmod(0o644)  # a test's key; the server runs as somebody else
    return certificate


@pytest.fixture(scope="module")
def certificates(sandbox_root: Path) -> dict[str, Path]:
    return {name: make_certificate(sandbox_root, name) for name in ("server", "other")}


@pytest.fixture(scope="module", params=["certificate only", "with an authority for clients"])
def encrypted(request, make_sandbox, certificates) -> Iterator[LoadRequest]:
    own = certificates["server"]
    with encrypted_server(make_sandbox, own, own if "authority" in request.param else None) as asked:
        yield asked


@contextmanager
def encrypted_server(make_sandbox, certificate: Path, authority: Path | None) -> Iterator[LoadRequest]:
    settings = {"ssl": "ON", "ssl_cert": str(certificate), "ssl_key": str(certificate.with_suffix(".key"))}
    if authority:
        settings["ssl_ca"] = str(authority)
    files = tuple(Path(settings[name]) for name in settings if name.startswith("ssl_"))
    server = make_sandbox(settings, name="encrypted", trace=False, reads=files)
    with connect(server.target) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {SCHEMA}")
        cursor.execute("CREATE USER 'only'@'127.0.0.1' IDENTIFIED BY 'a word' REQUIRE SSL")
        cursor.execute(f"GRANT ALL ON {SCHEMA}.* TO 'only'@'127.0.0.1'")
    target = Target("tls", "attached", "only", "a word", "127.0.0.1", server.target.port)
    yield LoadRequest(target, SCHEMA, "update-by-key", {}, "innodb", 100, 2, 1, 7)
    server.remove()


def run(request: LoadRequest, tls: str, authority: Path | None = None, **changes) -> int:
    target = replace(request.target, tls=tls, tls_ca=str(authority or ""), **changes)
    asked = replace(request, target=target)
    sysbench.prepare(asked, lambda: False)
    return sysbench.run(asked, lambda second: None, lambda: False).transactions


def test_a_load_is_encrypted_with_the_servers_certificate_or_its_authority(encrypted, certificates):
    assert run(encrypted, "required")
    assert run(encrypted, "verify", certificates["server"])
    assert run(encrypted, "verify", certificates["server"], host="localhost")


@pytest.mark.parametrize("mode", ["off", "preferred"])
def test_a_plain_load_of_an_account_that_requires_tls_is_refused_with_the_fix(encrypted, mode):
    with pytest.raises(AccessDenied) as refused:
        run(encrypted, mode)
    assert "TLS mode 'required'" in refused.value.fix


def test_a_certificate_of_another_authority_is_refused(encrypted, certificates):
    with pytest.raises(Unreachable, match="certificate"):
        run(encrypted, "verify", certificates["other"])
    with pytest.raises(Unreachable, match="could not agree on TLS"):
        run(encrypted, "required", certificates["other"])


def test_a_load_that_sysbench_could_not_verify_is_refused_before_its_start(encrypted):
    with pytest.raises(PlanError, match="no load was started"):
        run(encrypted, "verify")


def test_a_certificate_of_an_authority_needs_that_authority_and_the_right_name(make_sandbox, sandbox_root):
    authority = make_certificate(sandbox_root, "authority", "an authority")
    signed = make_certificate(sandbox_root, "signed", "elsewhere.example", authority)
    with encrypted_server(make_sandbox, signed, authority) as asked:
        with pytest.raises(PlanError, match="authority that sysbench does not know"):
            run(asked, "required")
        assert run(asked, "required", authority)
        with pytest.raises(Unreachable, match="certificate"):
            run(asked, "verify", authority)  # sysbench alone would let this name pass
