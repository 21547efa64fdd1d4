"""`manage.py audit [FILE ...] [--of "MariaDB 10.11"] [--server NAME] [--json]`: what servers survive.

Without a file it reads the settings of all registered servers of this site, side by side. It needs no right beyond
USAGE and changes nothing. A file holds the answer of SHOW GLOBAL VARIABLES or a my.cnf; - is standard input. Nothing is
stored. Exit status:

    0  by the settings of every server, acknowledged commits are kept
    1  a server may lose acknowledged commits
    2  bad arguments, nothing was audited
    3  no loss is known, and something could not be read or is unknown: never 0
"""

import sys
from argparse import ArgumentParser
from dataclasses import asdict, replace
from json import dumps
from pathlib import Path

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder

from dashboard.commands.command import DurascopeCommand
from dashboard.commands.files import STDIN, content_of
from dashboard.findings.audit.audit import against, audit, with_levels
from dashboard.findings.audit.in_words import audit_lines
from dashboard.findings.audit.subject import AuditedServer, pasted, read_all
from dashboard.records.servers.models import Server
from workers.errors import PlanError
from workers.servers import reading
from workers.servers.pasted.files_here import FilesHere, is_passed_over, says_passed_over
from workers.servers.pasted.named_version import NamedVersion, named_version
from workers.servers.pasted.read import MOST_CHARACTERS, OfFile, read

STATUS = {"kept": 0, "may be lost": 1, "unknown": 3}
MOST_BYTES = 4 * MOST_CHARACTERS + 1


class Command(DurascopeCommand):
    help = "What registered servers, or servers described by files, survive. Puts no load on any server."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="*", metavar="FILE", help="- is standard input; two are compared")
        parser.add_argument("--of", default="", metavar="VERSION", help='of a my.cnf, for example "MariaDB 10.11"')
        parser.add_argument("--server", action="append", default=[], metavar="NAME", help="only this one; repeat")
        parser.add_argument("--json", action="store_true", help="print the audit as JSON")
        parser.add_argument("--limit", type=float, default=reading.LIMIT_S, metavar="S", help="seconds for one server")

    def handle(
        self, *_: object, files: list[str], of: str, server: list[str], json: bool, limit: float, **__: object
    ) -> None:
        if files and server:
            raise PlanError("--server reads registered servers, and files were named.", "Leave one of them out.")
        subjects = _of_files(files, of) if files else _registered(server, limit)
        self._tell_others(bool(files or server))
        found = with_levels(audit(subjects), subjects)
        pairs = [against(*subjects)] if len(files) == 2 else []
        if json:
            document = {**asdict(found), "against": [asdict(pair) for pair in pairs]}
            self.stdout.write(dumps(document, indent=1, cls=DjangoJSONEncoder))
        else:
            self.stdout.write("\n".join(audit_lines(found, pairs)))
        sys.exit(STATUS[found.worst])

    def _tell_others(self, chosen: bool) -> None:
        others = Server.objects.filter(kind=Server.Kind.ATTACHED).exclude(site=settings.SITE).count()
        if others and not chosen:
            self.stderr.write(f"Servers of other sites that were not read: {others}. Run it on a host of their site.")


def _of_files(files: list[str], of: str) -> list[AuditedServer]:
    named = named_version(of)
    return [_of_file(file, named) for file in files]


def _of_file(file: str, named: NamedVersion | None) -> AuditedServer:
    """As a server on this machine reads it, with its includes."""
    text = content_of(file, MOST_BYTES).decode(errors="surrogateescape")
    if file == STDIN:
        return pasted("standard input", read(text, named))
    here = FilesHere()
    passed_over = says_passed_over(file) if is_passed_over(Path(file)) else ""
    found = read(text, named, of_file=OfFile(here.follow, passed_over))
    return pasted(file, replace(found, notes=(*here.notes, *found.notes)))


def _registered(names: list[str], limit_s: float) -> list[AuditedServer]:
    """Servers of another site are left out: only its workers reach them."""
    if not 0 < limit_s <= 60:
        raise PlanError("--limit is above 0 and at most 60 seconds.")
    attached = Server.objects.filter(kind=Server.Kind.ATTACHED, site=settings.SITE)
    servers = list(attached.filter(name__in=names) if names else attached)
    if unknown := set(names) - {one.name for one in servers}:
        raise PlanError(f"No attached server of this site is called {sorted(unknown)[0]!r}.")
    if not servers:
        raise PlanError("No server of your own is registered on this site.", "Register one, or name a file.")
    return read_all(servers, limit_s)
