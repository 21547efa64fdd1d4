"""Not a test: the installation that is backed up, and the copy that is restored, each in a process of its own.
`python -m tests.real.restoring fill SOCKET` and `python -m tests.real.restoring look BACKUP KEYS`."""

import json
import os
import socket
import sys
import threading
from contextlib import closing
from datetime import timedelta
from io import StringIO
from pathlib import Path

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.settings")
django.setup()

from django.contrib.auth.models import User  # noqa: E402 - needs Django
from django.core.management import call_command  # noqa: E402
from django.utils import timezone  # noqa: E402

from dashboard.installation import vault  # noqa: E402
from dashboard.records.accounts.models import Person  # noqa: E402
from dashboard.records.accounts.role import Role  # noqa: E402
from dashboard.records.experiments import leases, lifecycle  # noqa: E402
from dashboard.records.experiments.models import Experiment  # noqa: E402
from dashboard.records.fleet import installation  # noqa: E402
from dashboard.records.holds.models import PendingRestore  # noqa: E402
from dashboard.records.schedules import nights  # noqa: E402
from dashboard.records.schedules.models import Night, Schedule  # noqa: E402
from dashboard.records.servers.models import Server  # noqa: E402
from tests.unit.bench.plans import plan  # noqa: E402
from tests.unit.conducting import experiments as make  # noqa: E402
from workers.bench.plan import PlanTarget  # noqa: E402
from workers.upkeep import housekeeping, restores  # noqa: E402
from workers.upkeep.connections import unreachable  # noqa: E402

PASSWORD = "the server's password"


def fill(address: str) -> None:
    """An installation that is used; then, on a word, what happens to it after its backup."""
    call_command("migrate", verbosity=0)
    assert not installation.is_held()  # as a worker's first round notes it
    server = make.attached(host="", socket=address)
    server.set_password(PASSWORD)
    server.save()
    unrestored = make.experiment(server)
    Experiment.objects.filter(pk=unrestored.pk).update(state="failed")
    make.pending_restore(server, unrestored, "variable", "sync_binlog", "1")
    make.experiment(server)
    _schedule(server)
    _say("filled")
    sys.stdin.readline()
    Server.objects.update(name="changed after the backup")
    PendingRestore.objects.update(restored_at=timezone.now())
    call_command("rotatekeys", stdout=StringIO())
    _say("changed")
    sys.stdin.readline()


def _schedule(server: Server) -> None:
    owner = User.objects.create_user("dba")
    Person.objects.filter(user=owner).update(role=Role.OPERATOR)
    nightly = plan(targets=(PlanTarget(server.pk, server.name, False),)).as_dict()
    long_ago = timezone.now() - timedelta(minutes=3)
    Schedule.objects.create(
        name="nightly", plan=nightly, cron="* * * * *", zone="UTC", runs_as=owner, looked_at=long_ago
    )


def look(backup: str, keys: str) -> None:
    """From the restore to the release."""
    _command("restore", backup, "--overwrite", "--without-keys")
    server = Server.objects.get()
    told = {"server": server.name, "other keys": str(vault.problem_with(server.password_sealed))}
    vault.store(Path(keys).read_text().split())
    told |= {"password": server.target().password, "held by itself": installation.is_held()}
    told["restored"] = _command("restored")
    call_command("migrate", verbosity=0)
    told["held"] = _rounds(server)
    told["release"] = _command("restored", "--release")
    told["released"] = _rounds(server)
    _say(json.dumps(told))


def _command(*words: str) -> list[str]:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue().splitlines()


def _rounds(server: Server) -> dict[str, int]:
    """One round of everything that workers and beat do by themselves; the real server is a socket that counts."""
    notified: list[int] = []
    with closing(Listener(server.socket)) as real:
        housekeeping.run(notified.append, notified.append)
        restores.restore_all()
        nights.watch(timezone.now(), notified.append, unreachable)
        waiting = Experiment.objects.get(state="queued")
        began = lifecycle.begin(waiting.pk, make.worker(), leases.hosts_of(server))
        return {"touched": real.touched, "nights": Night.objects.count(), "began": int(began is not None)}


class Listener:
    """Accepts, counts, and hangs up."""

    def __init__(self, address: str) -> None:
        self.touched = 0
        self._address = address
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(address)
        self._socket.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                link, _ = self._socket.accept()
            except OSError:
                return
            self.touched += 1
            link.close()

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        Path(self._address).unlink()


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


{"fill": fill, "look": look}[sys.argv[1]](*sys.argv[2:])
