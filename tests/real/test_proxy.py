"""deploy/nginx.conf and deploy/Caddyfile in front of a real web server: what docs/deployment.md says of the proxy."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from dashboard.pages.accounts.signals import LOGGED_IN, LOGIN_FAILED
from dashboard.pages.accounts.throttle import PER_NAME_AND_ADDRESS
from dashboard.portable.archive import MOST_PACKED
from dashboard.records.audit.models import Event
from dashboard.records.experiments.models import Experiment
from tests.real import proxied
from tests.real.proxied import NAME, Certificate, Ports, Visitor, plain
from tests.unit.conducting import experiments
from tests.unit.portable import files

pytestmark = pytest.mark.django_db(transaction=True)
PASSWORD = "a long test password"
FORGED = {
    "X-Forwarded-For": "203.0.113.9",
    "X-Real-IP": "203.0.113.9",
    "Forwarded": "for=203.0.113.9;proto=http",
    "X-Forwarded-Proto": "http",
    "X-Forwarded-Host": "evil.example",
}
New = Callable[..., Visitor]


@pytest.fixture(scope="module")
def web_socket(django_db_setup: None, tmp_path_factory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("web")
    with proxied.web(folder / "home", folder / "web.sock"):
        yield folder / "web.sock"


@pytest.fixture(scope="module", params=proxied.PROXIES)
def behind(request, web_socket, tmp_path_factory) -> Iterator[tuple[Ports, Certificate]]:
    for program in (request.param, "openssl"):
        if not (proxied.is_here(program) if program in proxied.PROXIES else shutil.which(program)):
            pytest.skip(f"{program} is not installed")
    held = proxied.certificate(tmp_path_factory.mktemp(request.param))
    ports = Ports(web_socket, proxied.free_port(), proxied.free_port())
    with proxied.proxy(request.param, ports, held):
        yield ports, held


@pytest.fixture
def visitor(behind) -> New:
    """`visitor()`: a new browser; `visitor(address=..., forged=...)`."""
    return lambda **known: Visitor(*behind, **known)


@pytest.fixture
def inside(visitor, transactional_db) -> Visitor:
    """The administrator's browser."""
    User.objects.create_superuser("admin", password=PASSWORD)
    browser = visitor()
    assert browser.logs_in("admin", PASSWORD).status == 302
    return browser


def test_the_login_sets_cookies_for_https_only(inside):
    session, word = inside.cookies["__Host-sessionid"], inside.cookies["__Host-csrftoken"]
    assert session["secure"] and session["httponly"] and word["secure"]
    for cookie in (session, word):  # what browsers ask of a cookie of this name
        assert (cookie["path"], cookie["domain"]) == ("/", "")
    page = inside.get("/")
    assert page.status == 200 and "admin" in page.text
    assert page.headers["Strict-Transport-Security"] == "max-age=31536000"


@pytest.mark.parametrize("origin", ["https://evil.example", f"http://{NAME}", "null"])
def test_a_form_of_another_site_is_refused(inside, origin):
    assert inside.submit("/password/", {"oldpassword": PASSWORD}, origin=origin).status == 403


def test_without_tls_there_is_only_a_redirect(behind):
    answer = plain(behind[0], "/experiments/?q=1")
    assert answer.status in (301, 308) and not answer.headers["Set-Cookie"]
    assert re.fullmatch(rf"https://{NAME}(:443)?/experiments/\?q=1", answer.headers["Location"])


def test_a_forged_proxy_header_does_not_change_the_address_of_the_visitor(visitor):
    """What a visitor writes into the proxy's headers is nothing; a slow guesser is shut out by its real address."""
    User.objects.create_superuser("admin", password=PASSWORD)
    for last in range(PER_NAME_AND_ADDRESS):
        forger = visitor(address="127.0.0.3", forged=FORGED | {"X-Forwarded-For": f"203.0.113.{last}"})
        assert forger.logs_in("admin", "a wrong password").status == 200
    assert {event.detail["address"] for event in Event.objects.filter(did=LOGIN_FAILED)} == {"127.0.0.3"}
    last = visitor(address="127.0.0.3", forged={"X-Forwarded-For": "203.0.113.77, 127.0.0.1"})
    assert last.logs_in("admin", PASSWORD).status != 302
    assert visitor(address="127.0.0.4", forged=FORGED).logs_in("admin", PASSWORD).status == 302
    assert Event.objects.get(did=LOGGED_IN).detail["address"] == "127.0.0.4"


def test_the_live_page_is_told_what_is_new(inside):
    running = experiments.experiment(experiments.attached())
    held = Experiment.objects.filter(pk=running.pk)
    for activity in ("the first", "the second"):
        held.update(state="running", activity=activity, worker=experiments.worker())
        answer = inside.get(f"/experiments/{running.pk}/progress/", headers={"Accept": "application/json"})
        assert answer.status == 200 and activity in answer.text


def test_static_files_are_packed_and_kept(inside):
    path = re.search(r'href="(/static/[^"]+\.css)"', inside.get("/").text)[1]
    with inside.asks(path) as answer:
        assert (answer.status, answer.headers["Content-Encoding"]) == (200, "gzip")
        assert "immutable" in answer.headers["Cache-Control"]
    assert inside.get(path).headers["Content-Type"].startswith("text/css")


def test_an_experiment_is_exported_and_imported(inside):
    made = files.experiment()
    exported = inside.get(f"/experiments/{made.pk}/export.zip")
    assert exported.status == 200
    Experiment.objects.all().delete()
    assert inside.upload("/experiments/import/", "file", exported.body).status == 302
    assert Experiment.objects.count() == 1


def test_a_file_of_many_megabytes_comes_through(inside):
    """To our own refusal: a proxy's usual limit is one megabyte."""
    answer = inside.upload("/experiments/import/", "file", bytes(5 << 20))
    assert answer.status == 422 and "Nothing was stored" in answer.text


def test_the_proxy_refuses_a_body_larger_than_any_file(inside, request):
    if "caddy" in request.node.name:
        pytest.skip("it counts what arrives: asked of its file in tests/unit/test_deploy_files.py")
    assert inside.get("/experiments/import/", b"", {"Content-Length": str(MOST_PACKED * 2)}).status == 413


def test_a_share_link_names_itself_by_https(inside, visitor):
    made = files.experiment()
    links = f"/share/experiments/{made.pk}/"
    page = inside.submit(links, {"days": "", "note": ""}, to=f"{links}create/")
    address = re.search(rf"https://{NAME}/share/[\w-]{{30,}}/", page.text)
    assert address, page.text
    shown = visitor(forged=FORGED).get(address[0].removeprefix(f"https://{NAME}"))
    told = re.search(r'<meta property="og:url" content="([^"]+)"', shown.text)
    assert shown.status == 200 and told[1] == address[0]


@pytest.mark.parametrize("path", ["/nowhere/", "/share/nothing/", "/api/v1/nothing"])
def test_the_program_answers_for_a_missing_page_not_the_proxy(inside, path):
    answer = inside.get(path)
    assert answer.status in (404, 410) and b"nginx" not in answer.body
    assert answer.headers["Strict-Transport-Security"]
