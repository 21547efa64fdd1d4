"""Signed POSTs, and where they may not go."""

import base64
import hmac
import json
import socket
import ssl
import threading
import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.records.notifications.channels import https, webhook
from dashboard.records.notifications.channels.address import BadAddress, is_public, resolve
from dashboard.records.notifications.models import Delivery
from dashboard.records.notifications.undelivered import Undeliverable, Undelivered
from tests.certificate import certificate
from tests.unit.notifications.receiver import receiver

MESSAGE = Delivery(
    key="key-1",
    event="night_failed",
    created_at=datetime(2026, 6, 11, 2, 30, tzinfo=UTC),
    title="A title",
    text="A text",
    path="/nights/1/",
    facts={"n": 1},
)


@pytest.fixture
def everywhere(settings):
    settings.WEBHOOK_ALLOW = ["http", "private"]


def post(port, secret=None, path="/hook?x=1"):
    webhook.send(f"http://127.0.0.1:{port}{path}", secret or webhook.new_secret(), MESSAGE)


def test_a_post_is_signed_and_the_receiver_can_check_that(everywhere):
    secret = webhook.new_secret()
    with receiver() as got:
        post(got.port, secret)
    ((path, headers, body),) = got.came
    assert path == "/hook?x=1" and headers["Content-Type"] == "application/json"
    told = json.loads(body)
    assert told["type"] == "night_failed" and told["data"]["title"] == "A title" and told["data"]["facts"] == {"n": 1}
    signed = f"key-1.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    assert headers["webhook-id"] == "key-1"
    assert headers["webhook-signature"] == "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()


def test_the_signature_is_that_of_the_published_example():
    """The vector of the Standard Webhooks reference libraries."""
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    signed = webhook.sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_another_body_another_time_or_another_secret_is_another_signature():
    secret = webhook.new_secret()
    known = webhook.sign(secret, "k", 1, b"{}")
    assert known == webhook.sign(secret, "k", 1, b"{}")
    others = [
        (secret, "k", 1, b"{ }"),
        (secret, "k", 2, b"{}"),
        (secret, "l", 1, b"{}"),
        (webhook.new_secret(), "k", 1, b"{}"),
    ]
    assert known not in [webhook.sign(*other) for other in others]


@pytest.mark.parametrize(("status", "failure"), [(500, Undelivered), (429, Undelivered), (408, Undelivered)])
def test_an_answer_that_may_change_is_tried_again(everywhere, status, failure):
    with receiver(status) as got, pytest.raises(Undelivered, match=f"answered {status}") as failed:
        post(got.port)
    assert type(failed.value) is failure


@pytest.mark.parametrize("status", [400, 401, 404, 410])
def test_a_refusal_is_final(everywhere, status):
    with receiver(status) as got, pytest.raises(Undeliverable, match=f"answered {status}"):
        post(got.port)


def test_redirects_are_not_followed(everywhere):
    with receiver() as inner, receiver(307, f"http://127.0.0.1:{inner.port}/") as got:
        with pytest.raises(Undeliverable, match="Redirects are not followed"):
            post(got.port)
        assert inner.came == [] and len(got.came) == 1


def test_no_proxy_of_the_environment_is_used(everywhere, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with receiver() as got:
        post(got.port)
    assert len(got.came) == 1


def test_private_addresses_are_refused_before_anything_is_sent(settings):
    settings.WEBHOOK_ALLOW = ["http"]
    with receiver() as got:
        with pytest.raises(Undeliverable, match="private network"):
            post(got.port)
        with pytest.raises(Undeliverable, match="private network"):
            webhook.send(f"http://localhost:{got.port}/", webhook.new_secret(), MESSAGE)
        assert got.came == []


def test_a_name_of_which_one_address_is_private_is_refused(settings, monkeypatch):
    settings.WEBHOOK_ALLOW = []
    answers = [(2, 1, 6, "", (address, 443)) for address in ("93.184.216.34", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answers)
    with pytest.raises(Undeliverable, match="private network"):
        resolve("rebinding.example", 443)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answers[:1])
    assert resolve("rebinding.example", 443) == ["93.184.216.34"]


def test_the_post_goes_to_the_address_that_was_checked(settings, monkeypatch):
    """A name that means another address a moment later (DNS rebinding) is asked once only."""
    settings.WEBHOOK_ALLOW = ["http"]
    asked, connected = [], []

    def getaddrinfo(host, *_, **__):
        asked.append(host)
        return [(2, 1, 6, "", ("93.184.216.34" if len(asked) == 1 else "127.0.0.1", 80))]

    def create_connection(address, timeout):
        connected.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr(socket, "create_connection", create_connection)
    with pytest.raises(Undelivered):
        webhook.send("http://rebinding.example/", webhook.new_secret(), MESSAGE)
    assert connected == [("93.184.216.34", 80)] and asked == ["rebinding.example"]


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
     "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
     "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "192.0.2.1", "198.18.0.1",
     "192.0.0.192", "192.0.0.9", "192.88.99.1", "192.31.196.1", "192.52.193.1", "192.175.48.1", "168.63.129.16",
     "240.0.0.1", "::ffff:192.0.0.192", "::ffff:192.88.99.1", "::127.0.0.1", "::8.8.8.8", "::ffff:0:127.0.0.1",
     "fec0::1", "feff::1", "fdff::1", "fe80::1%lo", "100::1", "100:0:0:1::1", "64:ff9b::808:808", "64:ff9b:1::1",
     "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1", "2620:4f:8000::1", "3fff::1", "5f00::1", "4000::1"],
)  # fmt: skip
def test_addresses_that_are_not_public(address):
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    ["93.184.216.34", "8.8.8.8", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:8.8.8.8", "9.255.255.255", "11.0.0.0",
     "192.0.1.0", "192.88.98.255", "192.88.100.0", "223.255.255.255", "2001:200::1", "2003::1", "2a00:1450::1"],
)  # fmt: skip
def test_addresses_that_are(address):
    assert is_public(address)


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("http://hooks.example.org/", "must begin with https"),
        ("ftp://hooks.example.org/", "must begin with https"),
        ("file:///etc/passwd", "not the address"),
        ("https://", "not the address"),
        ("hooks.example.org", "not the address"),
        ("https://u:p@hooks.example.org/", "without an account"),
        ("https://hooks.example.org/#x", "without an account"),
        ("https://hooks.example.org:99999/", "not the address"),
        ("https://hooks.example.org/a b", "not the address"),
        ("https://hooks.example.org/\r\nX: y", "not the address"),
        ("https://h\u00f6oks.example/", "not the address"),
        ("https://[::1", "not the address"),
    ],
)
def test_an_invalid_address_is_refused(settings, address, says):
    settings.WEBHOOK_ALLOW = []
    with pytest.raises(BadAddress, match=says):
        https.check(address)


@given(st.text(max_size=60))
def test_garbage_is_refused_and_never_breaks(text):
    try:
        assert https.check(text) == text
    except BadAddress as refused:
        assert str(refused)


def test_the_secret_part_of_an_address_is_not_shown():
    assert https.shown("https://hooks.example.org/T00/B00/XXXX?token=1") == "https://hooks.example.org/…"
    assert https.shown("https://hooks.example.org") == "https://hooks.example.org"


def test_a_setting_that_was_withdrawn_holds_for_what_is_stored(settings):
    settings.WEBHOOK_ALLOW = []
    with pytest.raises(Undeliverable, match="must begin with https"):
        webhook.send("http://hooks.example.org/", webhook.new_secret(), MESSAGE)


def test_an_answer_that_is_not_http_is_reported(everywhere):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def nonsense():
            got, _ = server.accept()
            with got:
                got.sendall(b"SSH-2.0-nonsense\r\n")
                got.recv(65536)

        thread = threading.Thread(target=nonsense)
        thread.start()
        with pytest.raises(Undelivered, match="does not answer like a web server"):
            post(server.getsockname()[1])
        thread.join()


def test_a_very_slow_answer_is_cut_off(everywhere, monkeypatch):
    monkeypatch.setattr(https, "WHOLE_S", 0.3)
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip():
            got, _ = server.accept()
            with got:
                got.sendall(b"HTTP/1.1 ")
                while not over.wait(0.05):
                    try:
                        got.sendall(b"X")
                    except OSError:
                        return

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            with pytest.raises(Undelivered):
                post(server.getsockname()[1])
        finally:
            over.set()
            thread.join()


def test_silent_addresses_of_a_name_share_one_limit(everywhere, monkeypatch):
    monkeypatch.setattr(https, "WHOLE_S", 0.5)
    monkeypatch.setattr(https, "ANSWER_S", 0.2)
    silent = [(2, 1, 6, "", (f"192.0.2.{number}", 80)) for number in range(20)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: silent)
    asked = []

    def silence(address, timeout):
        asked.append(timeout)
        time.sleep(timeout)
        raise TimeoutError

    monkeypatch.setattr(socket, "create_connection", silence)
    with pytest.raises(Undelivered, match="TimeoutError"):
        webhook.send("http://hooks.example.org/", webhook.new_secret(), MESSAGE)
    assert sum(asked) <= 0.5


def test_a_name_that_no_server_of_names_answers_for_is_given_up(everywhere, monkeypatch):
    monkeypatch.setattr(https, "ANSWER_S", 0.1)
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: over.wait(10) and [])
    with pytest.raises(Undelivered, match=r"did not resolve the name hooks\.example\.org within 0\.1 s"):
        webhook.send("http://hooks.example.org/", webhook.new_secret(), MESSAGE)
    over.set()


def test_over_https_the_certificate_must_be_trusted_and_fit_the_name(everywhere, tmp_path, monkeypatch):
    file = certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    with receiver(tls=context) as got:
        address = f"https://localhost:{got.port}/"
        with pytest.raises(Undelivered, match="cannot be trusted"):
            webhook.send(address, webhook.new_secret(), MESSAGE)
        trusting = ssl.create_default_context
        monkeypatch.setattr(ssl, "create_default_context", lambda: trusting(cafile=file))
        with pytest.raises(Undelivered, match="cannot be trusted"):
            webhook.send(f"https://127.0.0.1:{got.port}/", webhook.new_secret(), MESSAGE)
        assert got.came == []
        webhook.send(address, webhook.new_secret(), MESSAGE)
        assert len(got.came) == 1
