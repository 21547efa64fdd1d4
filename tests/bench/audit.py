"""How long does the audit of 20 real servers take?

    python -m tests.bench.audit

Starts 20 sandboxes of all installed builds, among them a primary with two replicas whose settings differ, and registers
them in a temporary SQLite of its own. Prints the seconds of reading and judging them (the median of 5), the same by the
program `manage.py audit`, of a file, by the page *Audit* with one worker, and the seconds with a server that never
answers among them. Goal: below 10 s.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path

SERVERS, TIMES, GOAL_S = 20, 5, 10.0
LEVELS = (("1", "1"), ("2", "1"), ("1", "0"), ("2", "0"), ("0", "0"))


def main() -> None:
    with ExitStack() as opened:
        home = opened.enter_context(tempfile.TemporaryDirectory(prefix="durascope-bench-"))
        os.environ |= {"DURASCOPE_HOME": home, "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        root = Path(opened.enter_context(tempfile.TemporaryDirectory(prefix="ds-", dir="/var/tmp")))
        root.chmod(0o755)
        _register(opened, root)
        print(f"{SERVERS} servers, audited {TIMES} times: median {statistics.median(_audits()):.2f} s, goal {GOAL_S} s")
        print(f"manage.py audit: {_program():.2f} s")
        print(f"manage.py audit FILE: {_program(_pasted(root)):.2f} s")
        print(f"the page, from the click until all are read and shown: {_page(opened, root):.2f} s")
        opened.enter_context(_silent())
        print(f"with a server that never answers: {next(_audits(1)):.2f} s")


def _register(opened: ExitStack, root: Path) -> None:
    from tests.real.registered import attached
    from workers.crash.replica_link import Link
    from workers.errors import SandboxError
    from workers.sandbox import builds
    from workers.sandbox.server import Sandbox

    found, made = [], []
    for key in builds.every():
        try:
            found.append(builds.find(key))
        except SandboxError:
            continue
    system = builds.find("system-mariadb")
    chosen = [system] * 3 + [build for build, _ in zip(cycle(found), range(SERVERS - 3), strict=False)]
    for number, (build, level) in enumerate(zip(chosen, cycle(LEVELS), strict=False)):
        settings = {
            "log_bin": "ON", "server_id": str(100 + number), "innodb_flush_log_at_trx_commit": level[0],
            "sync_binlog": level[1],
        }  # fmt: skip
        made.append(opened.enter_context(Sandbox.create(root, build, settings, name=f"audit-{number}")))
        attached(made[-1], f"db{number}")
        print(f"{build.title} {build.version_text} {'/'.join(level)}", file=sys.stderr)
    for replica in made[1:3]:
        link = Link(made[0], replica)
        link.begin()
        link.start()


def _audits(times: int = TIMES):
    from dashboard.findings.audit.audit import audit
    from dashboard.findings.audit.subject import read_now
    from dashboard.records.servers.models import Server
    from workers.servers import reading

    for _ in range(times):
        begin = time.perf_counter()
        servers = list(Server.objects.all())
        found = audit(read_now(servers, reading.read_all([one.target() for one in servers]), None))
        yield time.perf_counter() - begin
    print(found.finding, f"{len(found.replicas)} replicas compared with their primary.")


def _pasted(folder: Path) -> str:
    """The settings of one of them, as its client prints them."""
    from dashboard.records.servers.models import Server
    from workers.servers import ask
    from workers.servers.connection import connect

    with connect(Server.objects.get(name="db1").target()) as link:
        rows = ask.rows(link, "SHOW GLOBAL VARIABLES")
    file = folder / "variables.txt"
    file.write_text("".join(f"{name}\t{value}\n" for name, value in rows))
    return str(file)


def _program(*files: str) -> float:
    begin = time.perf_counter()
    argv = [sys.executable, "manage.py", "audit", "--json", *files]
    done = subprocess.run(argv, check=False, stdout=subprocess.DEVNULL)
    assert done.returncode == 1, done.returncode
    return time.perf_counter() - begin


def _page(opened: ExitStack, root: Path) -> float:
    """*Read all servers* by a browser's requests; a worker of its own reads."""
    from django.contrib.auth.models import User
    from django.test import Client, override_settings

    from dashboard.records.servers.models import Preflight
    from tests.real.crew import Crew
    from tests.real.parts import until

    crew = Crew(root)
    opened.callback(crew.end)
    crew.of(1)
    browser = Client()
    browser.force_login(User.objects.create_superuser("dba", password=os.urandom(8).hex()))
    with override_settings(ALLOWED_HOSTS=["testserver"]):
        begin = time.perf_counter()
        assert browser.post("/servers/audit/read/").status_code == 302
        until(lambda: Preflight.objects.filter(state="done").count() == SERVERS)
        assert browser.get("/servers/audit/").status_code == 200
        return time.perf_counter() - begin


def _silent():
    """A port that accepts and never answers."""
    import socket

    from dashboard.records.servers.models import Server

    listening = socket.create_server(("127.0.0.1", 0))
    Server.objects.create(name="silent", kind="attached", host="127.0.0.1", port=listening.getsockname()[1], user="u")
    return listening


if __name__ == "__main__":
    main()
