"""The web server as its unit starts it, behind our own example files of nginx and Caddy: only ports and certificates
are other ones. A visitor comes from an address of its own (127.0.0.2, ...), which is not that of the proxy."""

import http.client
import os
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from http.cookies import Morsel, SimpleCookie
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlencode

from django.conf import settings

from dashboard.installation.home import PROJECT, redis_url
from dashboard.local.processes import Program
from tests.real import parts
from tests.unit.test_deploy_files import documented

DEPLOY = PROJECT / "deploy"
NAME = "durascope.example.org"
LIMIT_S = parts.LIMIT_S
NONE: Mapping[str, str] = MappingProxyType({})
WORD = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


@dataclass(frozen=True)
class Ports:
    web: Path  # a unix socket
    http: int
    https: int


@dataclass(frozen=True)
class Certificate:
    """Signed by itself; `folder` is the proxy's own."""

    file: Path
    key: Path
    folder: Path


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def listens(port: int) -> Callable[[int], bool]:
    def asked(pid: int) -> bool:
        with socket.socket() as tried:
            return tried.connect_ex(("127.0.0.1", port)) == 0

    return asked


def answers(place: Path) -> Callable[[int], bool]:
    """The socket is there before the web server is: it must answer."""

    def asked(pid: int) -> bool:
        with socket.socket(socket.AF_UNIX) as tried:
            tried.settimeout(1)
            try:
                tried.connect(str(place))
                tried.sendall(b"GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n")
                return bool(tried.recv(1))
            except OSError:
                return False

    return asked


def certificate(folder: Path) -> Certificate:
    made = Certificate(folder / "certificate.pem", folder / "key.pem", folder)
    names = ["-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"]
    files = ["-keyout", str(made.key), "-out", str(made.file)]
    argv = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *names, *files]
    subprocess.run(argv, check=True, capture_output=True)
    return made


@contextmanager
def web(home: Path, place: Path) -> Iterator[None]:
    """The commands and the environment that docs/deployment.md installs, on the tests' database; the socket is made as
    systemd makes it."""
    home.mkdir()
    known = documented() | {
        "DURASCOPE_HOME": str(home),
        "DURASCOPE_REDIS": redis_url(),
        "DURASCOPE_SQLITE": str(settings.DATABASES["default"]["NAME"]),
        "PYTHONPATH": str(PROJECT),
    }
    del known["DATABASE_URL"]  # the tests' own, if they are on PostgreSQL, is inherited
    collect, serve = (_command(name) for name in ("ExecStartPre", "ExecStart"))
    subprocess.run(collect, cwd=PROJECT, env=os.environ | known, check=True, capture_output=True)
    log = home / "web.log"
    listening = [sys.executable, str(Path(__file__).with_name("listening.py")), str(place), *serve]
    with parts.running(Program("web", listening, PROJECT, log, known, answers(place), LIMIT_S, stop_limit_s=20)):
        yield
    assert "Traceback" not in log.read_text(), log.read_text()


def _command(name: str) -> list[str]:
    unit = (DEPLOY / "systemd/durascope-web.service").read_text()
    line = next(line for line in unit.splitlines() if line.startswith(f"{name}="))
    return shlex.split(re.sub(r"(/opt/durascope/)?\.venv/bin/python", sys.executable, line.partition("=")[2]))


def nginx(ports: Ports, held: Certificate) -> Program:
    site = (DEPLOY / "nginx.conf").read_text()
    site = re.sub(r"^ *listen \[::\].*\n", "", site, flags=re.MULTILINE)
    for ours, here in {
        "listen 80;": f"listen 127.0.0.1:{ports.http};",
        "listen 443 ssl": f"listen 127.0.0.1:{ports.https} ssl",
        "/run/durascope/web.sock": str(ports.web),
        f"/etc/letsencrypt/live/{NAME}/fullchain.pem": str(held.file),
        f"/etc/letsencrypt/live/{NAME}/privkey.pem": str(held.key),
    }.items():
        assert ours in site, f"deploy/nginx.conf has no {ours}"
        site = site.replace(ours, here)
    (held.folder / "site.conf").write_text(site)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = "\n".join(f"{kind}_temp_path {held.folder}/{kind};" for kind in kinds)
    user = "user root;" if os.getuid() == 0 else ""  # its own would not be let into a folder of the tests'
    main = held.folder / "nginx.conf"
    inside = f"{folders}\ninclude {held.folder}/site.conf;"
    main.write_text(f"{user}\ndaemon off;\npid {held.folder}/pid;\nevents {{}}\nhttp {{\n{inside}\n}}\n")
    argv = [_found("nginx"), "-c", str(main), "-e", "stderr"]
    return Program("nginx", argv, held.folder, held.folder / "nginx.log", {}, listens(ports.https), LIMIT_S)


def caddy(ports: Ports, held: Certificate) -> Program:
    here = f"{{\n admin off\n default_bind 127.0.0.1\n http_port {ports.http}\n https_port {ports.https}\n}}\n"
    site = (DEPLOY / "Caddyfile").read_text().replace("/run/durascope/web.sock", str(ports.web))
    site = site.replace(f"{NAME} {{\n", f"{NAME} {{\n tls {held.file} {held.key}\n")
    (held.folder / "Caddyfile").write_text(here + site)
    argv = [_found("caddy"), "run", "--adapter", "caddyfile", "--config", str(held.folder / "Caddyfile")]
    env = {"XDG_DATA_HOME": str(held.folder), "XDG_CONFIG_HOME": str(held.folder)}
    return Program("caddy", argv, held.folder, held.folder / "caddy.log", env, listens(ports.https), LIMIT_S)


PROXIES = {"nginx": nginx, "caddy": caddy}


def is_here(proxy: str) -> bool:
    return bool(shutil.which(proxy, path=_path()))


def _found(name: str) -> str:
    return str(shutil.which(name, path=_path()))


def _path() -> str:
    return f"{os.environ['PATH']}:/usr/sbin:/sbin"


class _Here(http.client.HTTPSConnection):
    """Asks this machine, whatever its name is."""

    def connect(self) -> None:
        plain = socket.create_connection(("127.0.0.1", self.port), self.timeout, self.source_address)
        self.sock = self._context.wrap_socket(plain, server_hostname=NAME)


class Visitor:
    """A browser: keeps cookies, and says where a form was."""

    def __init__(
        self, ports: Ports, held: Certificate, address: str = "127.0.0.2", forged: Mapping[str, str] = NONE
    ) -> None:
        self._ports, self._address, self._forged = ports, address, forged
        self._context = ssl.create_default_context(cafile=str(held.file))
        self.cookies: dict[str, Morsel[str]] = {}

    @contextmanager
    def asks(
        self, path: str, body: bytes | None = None, headers: Mapping[str, str] = NONE
    ) -> Iterator[http.client.HTTPResponse]:
        """The answer, as it arrives."""
        link = _Here(NAME, self._ports.https, timeout=LIMIT_S, source_address=(self._address, 0), context=self._context)
        jar = "; ".join(f"{name}={one.value}" for name, one in self.cookies.items())
        sent = {"Host": NAME, "Accept-Encoding": "gzip", "Cookie": jar, **self._forged, **headers}
        try:
            link.request("GET" if body is None else "POST", path, body, sent)
            yield link.getresponse()
        finally:
            link.close()

    def get(self, path: str, body: bytes | None = None, headers: Mapping[str, str] = NONE) -> Answer:
        with self.asks(path, body, {"Accept-Encoding": "identity", **headers}) as answer:
            for line in answer.headers.get_all("Set-Cookie", ()):
                self.cookies |= SimpleCookie(line)
            return Answer(answer.status, answer.headers, answer.read())

    def submit(self, path: str, fields: dict[str, str], origin: str = f"https://{NAME}", to: str = "") -> Answer:
        """The form that stands at `path`, which may send somewhere else."""
        form = urlencode(fields | {"csrfmiddlewaretoken": self.word(path)}).encode()
        return self.get(to or path, form, {"Origin": origin, "Content-Type": "application/x-www-form-urlencoded"})

    def upload(self, path: str, name: str, content: bytes) -> Answer:
        mark = "a-boundary"
        parts_of_form = (
            (b'name="csrfmiddlewaretoken"', self.word(path).encode()),
            (b'name="%b"; filename="one.zip"\r\nContent-Type: application/zip' % name.encode(), content),
        )
        pieces = [
            b"--%b\r\nContent-Disposition: form-data; %b\r\n\r\n%b\r\n" % (mark.encode(), head, value)
            for head, value in parts_of_form
        ]
        body = b"".join(pieces) + b"--%b--\r\n" % mark.encode()
        sent = {"Origin": f"https://{NAME}", "Content-Type": f"multipart/form-data; boundary={mark}"}
        return self.get(path, body, sent)

    def word(self, path: str) -> str:
        """The form's own, which the cookie must match."""
        found = WORD.search(self.get(path).text)
        assert found, f"no form at {path}"
        return found[1]

    def logs_in(self, name: str, password: str) -> Answer:
        return self.submit("/login/", {"login": name, "password": password})


def plain(ports: Ports, path: str) -> Answer:
    """Without TLS."""
    link = http.client.HTTPConnection("127.0.0.1", ports.http, timeout=LIMIT_S)
    try:
        link.request("GET", path, headers={"Host": NAME})
        answer = link.getresponse()
        return Answer(answer.status, answer.headers, answer.read())
    finally:
        link.close()


@contextmanager
def proxy(kind: str, ports: Ports, held: Certificate) -> Iterator[None]:
    program = PROXIES[kind](ports, held)
    with parts.running(replace(program, stop_limit_s=20)):
        yield
