"""A machine in the server's place asks a real sysbench for its password under TLS: it shows another certificate, or
offers no TLS. Our own connection has reached the right server just before."""

import os
import socket
import ssl
import subprocess
from contextlib import nullcontext
from dataclasses import dataclass

import pytest

from tests.real.test_load_tls import make_certificate
from tests.unit.servers.impostor import FULL_LOGIN, PASSWORD, Impostor, target
from tests.unit.servers.test_logins import READABLE, Key
from workers.bench import login, tls
from workers.servers.logins import BY_KEY
from workers.servers.pins import fingerprint

SYSBENCH = ("sysbench", "oltp_point_select", "--db-driver=mysql", "--mysql-user=u", "--mysql-db=x", "--threads=1")
ANSWERS = ("another certificate", "no TLS")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """Two hosts of one authority, and one that signed itself."""
    folder = tmp_path_factory.mktemp("certificates")
    authority = make_certificate(folder, "authority", "an authority")
    return {
        "authority": authority,
        "right": make_certificate(folder, "right", authority=authority),
        "other": make_certificate(folder, "other", authority=authority),
        "own": make_certificate(folder, "own"),
        "other own": make_certificate(folder, "other_own"),
    }


def der(file):
    return ssl.PEM_cert_to_DER_cert(file.read_text())


def shows(file):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, file.with_suffix(".key"))
    return context


@dataclass
class Answered:
    """A connection of ours that the right server let in."""

    shown: bytes
    plugin = "mysql_native_password"

    def certificate(self):
        return self.shown


@pytest.fixture(scope="module")
def key():
    return Key()


@pytest.fixture
def ask(certificates, monkeypatch, tmp_path, key):
    """Starts sysbench with what `target` gives it, where `right` has answered us and something else answers sysbench.
    Returns whether that reads the password, and what sysbench printed."""

    def asked(known, right, other, plugin, *, guarded=True):
        monkeypatch.setattr(tls, "connect", lambda _: nullcontext(Answered(der(certificates[right]))))
        listening = socket.create_server(("127.0.0.1", 0))
        listening.settimeout(30)
        of = target(listening, **known)
        more = [FULL_LOGIN] if plugin == "caching_sha2_password" else []
        context = shows(certificates[other]) if other else None
        impostor = Impostor(listening, plugin, tls=context, more=more if context else key.asks(plugin))
        with tls.chosen(of) as chosen, login.address(of, chosen.certificate) as address:
            words = address if guarded else ["--mysql-host=127.0.0.1", address[1]]
            argv = (*SYSBENCH, *words, chosen.argument, "run")
            env = {"PATH": os.environ["PATH"], "MYSQL_PWD": PASSWORD.decode()}
            printed = subprocess.run(argv, env=env, cwd=chosen.folder, capture_output=True, text=True, timeout=60)
        heard = impostor.all_that_it_heard()
        return PASSWORD in heard or key.steals(heard) == PASSWORD, printed.stdout

    return asked


def modes(certificates):
    """By name: the target's TLS, the right server's certificate and another one that the same authority vouches for."""
    authority = {"tls_ca": str(certificates["authority"])}
    of_right, of_own = ({"certificate_pin": fingerprint(der(certificates[name]))} for name in ("right", "own"))
    return {
        "verify": ({"tls": "verify", **authority}, "right", "other"),
        "required, an authority": ({"tls": "required", **authority}, "right", "other"),
        "required, an authority, confirmed": ({"tls": "required", **authority, **of_right}, "right", "other"),
        "required, self-signed": ({"tls": "required"}, "own", "other own"),
        "required, self-signed, confirmed": ({"tls": "required", **of_own}, "own", "other own"),
        "required, any key": ({"tls": "required", "any_key": True, **authority}, "right", "other"),
    }


MODES = (
    "verify", "required, an authority", "required, an authority, confirmed", "required, self-signed",
    "required, self-signed, confirmed", "required, any key",
)  # fmt: skip


@pytest.mark.parametrize("answers", ANSWERS)
@pytest.mark.parametrize("plugin", READABLE)
@pytest.mark.parametrize("mode", MODES)
def test_another_server_never_reads_the_password(ask, certificates, mode, plugin, answers):
    known, right, other = modes(certificates)[mode]
    heard, printed = ask(known, right, other if answers == "another certificate" else None, plugin)
    assert not heard and "2026" in printed, printed


@pytest.mark.parametrize("plugin", READABLE)
def test_the_control_an_unguarded_sysbench_gives_it_to_any_host_of_the_authority(ask, certificates, plugin):
    assert ask(*modes(certificates)["verify"], plugin, guarded=False)[0]


@pytest.mark.parametrize("plugin", [plugin for plugin in READABLE if plugin not in BY_KEY])
def test_the_control_an_unguarded_sysbench_goes_back_to_plain_text(ask, certificates, plugin):
    known, right, _ = modes(certificates)["verify"]
    assert ask(known, right, None, plugin, guarded=False)[0]


@pytest.mark.parametrize("plugin", READABLE)
@pytest.mark.parametrize("mode", MODES)
def test_the_control_the_right_server_reads_it_where_it_is_proven(ask, certificates, mode, plugin):
    known, right, _ = modes(certificates)[mode]
    heard, printed = ask(known, right, right, plugin)
    proven = "verify" in mode or "confirmed" in mode or ("any key" in mode and plugin in BY_KEY)
    assert heard == proven, printed
