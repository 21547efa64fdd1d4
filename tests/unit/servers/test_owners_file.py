"""The path of a certificate authority is typed by whoever registers a server: wherever it leads, it is answered."""

import os
import socket
import ssl
import threading
from pathlib import Path

import pytest

from workers.errors import DurascopeError, PlanError
from workers.servers import owners_file
from workers.servers.connection import authority, connect
from workers.servers.target import Target

HARMLESS = b"-----BEGIN CERTIFICATE-----\n"


def target(path, **fields) -> Target:
    known = {"host": "127.0.0.1", "port": 1, "tls": "verify", "tls_ca": str(path)}
    return Target("x", "attached", "u", "p", **known | fields)


@pytest.fixture
def places(tmp_path):
    """Name -> what lies there."""
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "fifo")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
    with (tmp_path / "large").open("wb") as large:
        large.truncate(1 << 40)
    (tmp_path / "too large by one").write_bytes(bytes(owners_file.MOST_BYTES + 1))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("fifo", "no regular file"),
        ("link", "no regular file"),
        ("folder", "no regular file"),
        ("socket", "no regular file"),
        ("loop", "symbolic links"),
        ("large", "more than 1 MiB"),
        ("too large by one", "more than 1 MiB"),
        ("nothing", "No such file"),
        ("/dev/ptmx", "no regular file"),
        ("/dev/zero", "no regular file"),
        ("/dev/tty", "no regular file"),
        ("/proc/self/mem", "empty"),
        ("/proc/kmsg", "empty"),
    ],
)
def test_a_file_that_is_large_or_not_regular_is_refused(places, name, why):
    with pytest.raises(PlanError, match=why) as refused:
        authority(target(places / name))
    assert "cannot be used" in refused.value.message and refused.value.fix
    with pytest.raises(DurascopeError):
        connect(target(places / name), timeout_s=2)


def test_a_device_is_not_opened(places, monkeypatch):
    """To open some devices does something: a watchdog restarts the machine."""
    opened = []
    real = os.open
    monkeypatch.setattr(os, "open", lambda path, flags, *rest: opened.append(flags) or real(path, flags, *rest))
    with pytest.raises(PlanError):
        authority(target("/dev/zero"))
    assert opened and all(flags & os.O_PATH for flags in opened)


def test_a_small_file_is_read_as_it_is(tmp_path):
    (tmp_path / "ca.pem").write_bytes("# ümläut\n".encode() + HARMLESS)
    assert authority(target(tmp_path / "ca.pem")).endswith(HARMLESS.decode())
    assert authority(target(tmp_path / "ca.pem")).isascii()
    (tmp_path / "full.pem").write_bytes(bytes(owners_file.MOST_BYTES))
    assert len(owners_file.read(str(tmp_path / "full.pem"))) == owners_file.MOST_BYTES


def test_the_bundle_of_all_public_authorities_is_small_enough():
    bundle = Path(ssl.get_default_verify_paths().cafile or "/etc/ssl/certs/ca-certificates.crt")
    if not bundle.exists():
        pytest.skip("this machine has no bundle of authorities")
    assert ssl.create_default_context(cadata=authority(target(bundle))).cert_store_stats()["x509_ca"] > 50


@pytest.mark.parametrize("content", [b"no certificate", bytes(100), b"\xff" * 100])
def test_a_file_without_a_certificate_is_refused(tmp_path, content):
    (tmp_path / "ca.pem").write_bytes(content)
    with pytest.raises(PlanError, match="holds no certificate"):
        connect(target(tmp_path / "ca.pem"))


@pytest.mark.parametrize("name", ["fifo", "folder", "large", "/dev/ptmx", "loop", "nothing"])
def test_as_a_socket_file_it_is_refused_at_once_too(places, name):
    with pytest.raises(DurascopeError):
        connect(target("", tls="off", host="", socket=str(places / name)), timeout_s=2)


def test_a_file_system_that_does_not_answer_is_given_up_and_takes_four_threads_at_most(monkeypatch):
    """Positive control: without the limit each of these would wait for the event."""
    answers = threading.Event()
    monkeypatch.setattr(owners_file, "_read", lambda path: answers.wait() and b"late")
    monkeypatch.setattr(owners_file, "_waiting", threading.BoundedSemaphore(owners_file.MOST_WAITING))
    before = threading.active_count()
    for _ in range(owners_file.MOST_WAITING):
        with pytest.raises(TimeoutError) as late:
            owners_file.read("/nfs/ca.pem", limit_s=0.01)
        assert "did not answer within 0.01 s" in late.value.strerror
    with pytest.raises(TimeoutError) as refused:
        owners_file.read("/nfs/ca.pem", limit_s=60)
    assert "still wait for their file system" in refused.value.strerror
    assert threading.active_count() - before == owners_file.MOST_WAITING
    waiting = [thread for thread in threading.enumerate() if thread.name == "owners-file"]
    answers.set()
    for thread in waiting:
        thread.join()
    assert owners_file.read("/nfs/ca.pem") == b"late", "once it answers, files are read again"
