"""A confirmed certificate or key against a real MySQL: with its own it lets us in, with another one nothing is sent."""

import subprocess
from dataclasses import replace

import pytest

from tests.real.test_trial_builds import ready
from workers.bench import sysbench
from workers.bench.load import LoadRequest
from workers.errors import AccessDenied
from workers.sandbox.server import Sandbox
from workers.servers import ask, keys, preflight
from workers.servers.connection import connect
from workers.servers.target import Target

BUILDS = ("mysql-8.0.33", "mysql-9.7")
SETTINGS = {"tls_version": "TLSv1.3"}
ACCOUNTS = {"cached": "caching_sha2_password", "short": "sha256_password"}
SCHEMA = "durascope_pins"


@pytest.fixture(scope="module", params=BUILDS)
def server(request, sandbox_root):
    with Sandbox.create(sandbox_root, ready(request.param), SETTINGS, name="pinned", trace=False) as made:
        with connect(made.target) as link:
            ask.rows(link, f"CREATE DATABASE {SCHEMA}")
            for name, plugin in ACCOUNTS.items():
                ask.rows(link, f"CREATE USER {name} IDENTIFIED WITH {plugin} BY 'a word'")
                ask.rows(link, f"GRANT ALL ON *.* TO {name}")
        yield made


def at(server, account="cached", **known):
    return Target("pinned", "attached", account, "a word", "127.0.0.1", server.target.port, **known)


def confirm(target, seen):
    return replace(target, certificate_pin=seen.certificate or "", key_pin=seen.key or "")


def pinned(target):
    return confirm(target, keys.seen(target))


def forget_hashes(server):
    """The next login with `caching_sha2_password` needs the password, not its scramble alone."""
    with connect(server.target) as link:
        ask.rows(link, "FLUSH PRIVILEGES")


def logged_in(target):
    with connect(target) as link:
        return ask.text(link, "SELECT CURRENT_USER()")


@pytest.mark.parametrize("tls", ["off", "preferred", "required"])
@pytest.mark.parametrize("account", ACCOUNTS)
def test_the_server_is_let_in_only_with_its_confirmed_key(server, account, tls):
    target = at(server, account, tls=tls)
    first = preflight.run(target)
    assert first.checks[0].outcome == "failed" and "nobody has confirmed" in first.checks[0].says
    confirmed = confirm(target, first.keys)
    forget_hashes(server)
    assert logged_in(confirmed) == f"{account}@%"
    with_authority = replace(confirmed, tls_ca=str(server.datadir / "ca.pem"))  # as a load needs it under TLS
    assert {one.key: one.outcome for one in preflight.run(with_authority).checks}["identity"] == "passed"


def test_a_server_of_an_older_version_is_let_in_with_a_warning(server):
    forget_hashes(server)
    found = preflight.run(at(server, tls="off", any_key=True))
    assert {one.key: one.outcome for one in found.checks}["identity"] == "warned" and found.keys.key


def request(target):
    return LoadRequest(target, SCHEMA, "update-by-key", {}, "innodb", 100, 2, 1, 7)


def test_a_load_without_tls_encrypts_with_the_confirmed_key_or_says_that_it_cannot(server):
    """A client library made with GnuTLS runs only while the server knows the hash."""
    asked = request(pinned(at(server, tls="off")))
    logged_in(asked.target)
    sysbench.prepare(asked, lambda: False)
    forget_hashes(server)
    try:
        assert sysbench.run(asked, lambda second: None, lambda: False).transactions
    except AccessDenied as refused:
        assert "without TLS" in refused.message and "TLS mode 'required'" in refused.fix


def test_a_load_with_tls_runs_where_the_certificate_is_confirmed(server):
    """The server made its authority itself, and this signed its certificate. On the table of the test above."""
    target = at(server, tls="required", tls_ca=str(server.datadir / "ca.pem"))
    forget_hashes(server)
    assert sysbench.run(request(pinned(target)), lambda second: None, lambda: False).transactions
    with pytest.raises(AccessDenied, match="nobody has confirmed"):
        sysbench.run(request(target), lambda second: None, lambda: False)


def new_keys(server):
    """As an owner makes them, or a machine in the server's place has them."""
    folder = server.datadir
    made = folder.parent / "made"
    made.mkdir()
    new = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=another")
    subprocess.run([*new, "-keyout", made / "server-key.pem", "-out", made / "server-cert.pem"], check=True)
    subprocess.run(["openssl", "genrsa", "-out", made / "private_key.pem", "2048"], check=True)
    public = ("openssl", "rsa", "-in", made / "private_key.pem", "-pubout", "-out", made / "public_key.pem")
    subprocess.run(public, check=True)
    for file in made.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())  # keeps its owner
    server.restart(SETTINGS)


@pytest.fixture
def changed(server):
    """What was confirmed before the server got other keys."""
    confirmed = {tls: pinned(at(server, tls=tls)) for tls in ("off", "preferred", "required")}
    new_keys(server)
    return {tls: replace(one, port=server.target.port) for tls, one in confirmed.items()}


def test_another_certificate_or_key_is_refused_with_both_fingerprints(server, changed):
    for tls, target in changed.items():
        now = keys.seen(target)
        with pytest.raises(AccessDenied, match="than the one that was confirmed") as refused:
            connect(target)
        was = keys.SeenKeys(target.certificate_pin, target.key_pin)
        shown = (was.key_fingerprint, now.key_fingerprint) if tls == "off" else (was.certificate, now.certificate)
        assert all(one and one in refused.value.message for one in shown)
        assert preflight.run(target).keys == now
        assert logged_in(confirm(target, now)) == "cached@%"
