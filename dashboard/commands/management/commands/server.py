"""`manage.py server import FILE [--dry-run] [--yes]`: register the servers of an option file or inventory.
`manage.py server replicas`: register the replicas and cluster members that registered servers name.
`manage.py server sandbox NAME`: register a server that a worker makes from a build for each experiment.
`manage.py server pin NAME` or `--all`: show the certificates and keys of servers, and confirm them.

All but *sandbox* say first what would be done for each server and ask. No password is printed or sent. Exit status: 0
done, or a dry run; 2 refused or stopped.
"""

import getpass
from argparse import ArgumentParser
from typing import TypedDict, Unpack

from django.conf import settings

from dashboard.commands import key_lines
from dashboard.commands.command import Subcommands
from dashboard.commands.files import content_of
from dashboard.findings.attached.known import Known
from dashboard.findings.attached.unregistered import unregistered
from dashboard.findings.audit.subject import read_all
from dashboard.pages.servers.forms import SandboxForm
from dashboard.pages.servers.importing import REGISTERED, Defaults, plan, register, summary
from dashboard.records.servers import actions, pins
from dashboard.records.servers.models import Server
from workers.errors import PlanError
from workers.servers.inventory.found import MOST_BYTES, FoundServer
from workers.servers.inventory.read import read
from workers.servers.printable import printable

SYSTEM = "system-mariadb"


class Options(TypedDict):
    dry_run: bool
    yes: bool
    user: str
    label: str


class Command(Subcommands):
    help = "Register servers from files, replicas from their primaries, and sandboxes. Confirm keys of servers."
    stopped = "Nothing was changed."

    def add_arguments(self, parser: ArgumentParser) -> None:
        commands = parser.add_subparsers(dest="command", required=True)
        imports = commands.add_parser("import", help="from ~/.my.cnf, .mylogin.cnf, PMM, Ansible or CSV")
        imports.add_argument("file", metavar="FILE", help="- is standard input")
        imports.add_argument("--group", default="", metavar="NAME", help="only hosts of this Ansible group")
        imports.add_argument("--ask", action="store_true", help="ask for the password of servers without one")
        replicas = commands.add_parser("replicas", help="that registered servers of this site name; it reads them")
        sandbox = commands.add_parser("sandbox", help="a server that a worker makes for each experiment")
        sandbox.add_argument("name")
        sandbox.add_argument("--build", default=SYSTEM, metavar="KEY", help=f"see build list (default: {SYSTEM})")
        pin = commands.add_parser("pin", help="show the certificate and key of servers, and confirm them")
        pin.add_argument("name", nargs="?", default="")
        pin.add_argument("--all", action="store_true", help="all servers; a key that changed is confirmed by name only")
        pin.add_argument("--yes", action="store_true", help="do not ask")
        for one in (imports, replicas):
            one.add_argument("--dry-run", action="store_true", help="say what would be done, and end")
            one.add_argument("--yes", action="store_true", help="do not ask")
            one.add_argument("--user", default="", metavar="NAME", help="account of servers without one")
            one.add_argument("--label", choices=Server.Label.values, default=Server.Label.PRODUCTION)

    def _import(self, *, file: str, group: str, ask: bool, **options: Unpack[Options]) -> None:
        self._register(read(content_of(file, MOST_BYTES + 1), group), options, getpass.getpass() if ask else "")

    def _replicas(self, **options: Unpack[Options]) -> None:
        """Without a password: a hostile server could name any address. It is entered on the page of each server."""
        servers = list(Server.objects.filter(kind=Server.Kind.ATTACHED, site=settings.SITE))
        found = read_all(servers)
        for one in found:
            for why in [one.why] if one.why else one.told.replication.unread if one.told else ():
                self.stderr.write(printable(f"{one.name}: {why}"))
        told = Known({one.server.pk: one.told for one in found if one.server and one.told})
        self._register(unregistered(told), options)

    def _sandbox(self, *, name: str, build: str, **_: object) -> None:
        form = SandboxForm({"name": name, "build": build, "site": settings.SITE})
        if not form.is_valid():
            said = " ".join(str(message) for messages in form.errors.values() for message in messages)
            raise PlanError(f"{said} Nothing was registered.", "Builds: manage.py build list")
        actions.register(None, form.save(commit=False), "")
        self.stdout.write(f"{name} is registered. A worker makes it when an experiment begins.")

    def _pin(self, *, name: str, all: bool, yes: bool, **_: object) -> None:
        shown = key_lines.read(key_lines.chosen(name, every=all))
        for one in shown:
            self.stdout.write("\n".join(printable(line) for line in one.lines))
        found = ((one.server, one.to_confirm(by_name=not all)) for one in shown)
        wanted = [(server, seen) for server, seen in found if seen is not None]
        if not wanted:
            self.stdout.write("Nothing was confirmed.")
        elif yes or _agreed(f"Confirm {len(wanted)}"):
            for server, seen in wanted:
                pins.pin(None, server, seen)
            self.stdout.write(f"{len(wanted)} confirmed.")
        else:
            raise PlanError("Nothing was confirmed.", "Confirm with y, or with --yes.")

    def _register(self, found: list[FoundServer], options: Options, password: str = "") -> None:
        lines = plan(found, Defaults(options["user"], password, options["label"], settings.SITE))
        for line in lines:
            self.stdout.write(f"{line.name} ({line.where}): {line.state}. {line.says}")
        self.stdout.write(f"{summary(lines) or 'No server was found'}.")
        wanted = sum(line.state in REGISTERED for line in lines)
        if options["dry_run"] or not wanted:
            self.stdout.write("Nothing was registered.")
        elif options["yes"] or _agreed(f"Register {wanted}"):
            self.stdout.write(f"{len(register(None, lines))} registered. Nothing was sent to them.")
        else:
            raise PlanError("Nothing was registered.", "Confirm with y, or with --yes.")


def _agreed(question: str) -> bool:
    try:
        return input(f"{question}? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
