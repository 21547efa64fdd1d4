"""Import of servers from a file. The first answer says what would be done; nothing is stored before it is confirmed."""

import json
from dataclasses import asdict

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.debug import sensitive_post_parameters

from dashboard.findings.attached.known import Known, told
from dashboard.findings.attached.unregistered import unregistered
from dashboard.installation import vault
from dashboard.installation.stored import Unreadable, read
from dashboard.installation.vault import KeyMissing
from dashboard.pages.accounts.gate import account_of, needs
from dashboard.pages.servers.importing import REGISTERED, Defaults, ImportLine, plan, register, summary
from dashboard.records.fleet import site_names
from dashboard.records.refused import Refused
from dashboard.records.servers.models import Server
from workers.errors import PlanError
from workers.servers.inventory.found import MOST_BYTES, FoundServer
from workers.servers.inventory.read import read as read_file

CONFIRM_WITHIN_S = 1800
MOST_UNREAD = 20  # reasons, on one page


class ImportServersForm(forms.Form):
    file = forms.FileField(
        max_length=200,
        help_text=f"At most {MOST_BYTES >> 20} MiB: ~/.my.cnf, .mylogin.cnf, the output of mysql_config_editor print "
        "--all, PMM (JSON of its inventory or of pmm-admin list --json), CSV, the output of ansible-inventory --list.",
    )
    group = forms.CharField(
        required=False, max_length=200, label="Ansible group", help_text="Only the hosts of this group."
    )
    user = forms.CharField(required=False, max_length=80, label="Account", help_text="For servers without one.")
    password = forms.CharField(
        required=False,
        strip=False,
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text="For servers without one in the file. Stored encrypted and never shown again.",
    )
    label = forms.ChoiceField(
        choices=Server.Label.choices,
        initial=Server.Label.PRODUCTION,
        help_text="For servers whose file does not say it. Load on production must be confirmed each time.",
    )
    site = forms.CharField(
        required=False,
        max_length=site_names.LONGEST,
        validators=[site_names.check],
        help_text="Workers of this site will measure the servers. The local site when left empty.",
    )

    def found(self) -> list[FoundServer]:
        """Of a valid form. Raises PlanError."""
        return read_file(self.cleaned_data["file"].read(MOST_BYTES + 1), self.cleaned_data["group"])

    def defaults(self) -> Defaults:
        given = self.cleaned_data
        return Defaults(given["user"], given["password"], given["label"], given["site"] or site_names.LOCAL)


@needs("register_server", "GET", "POST")
@sensitive_post_parameters("password", "sealed")
def import_servers(request: HttpRequest) -> HttpResponse:
    if request.method == "POST" and "sealed" in request.POST:
        return _confirmed(request)
    form = ImportServersForm(request.POST or None, request.FILES or None)
    known = told() if "replicas" in request.GET else Known()
    named = unregistered(known)
    if request.method != "POST" and not named:
        unread = [f"{one.server}: {why}" for one in known.values() for why in one.replication.unread]
        context = {"form": form, "asked": "replicas" in request.GET, "unread": unread[:MOST_UNREAD]}
        return render(request, "servers/import.html", context)
    lines: list[ImportLine] = []
    sealed = ""
    if named or form.is_valid():
        try:
            found, defaults = (named, Defaults()) if named else (form.found(), form.defaults())
            lines, sealed = plan(found, defaults), _seal(request, found, defaults)
        except (PlanError, KeyMissing) as refused:
            if named:  # the form was not sent
                messages.error(request, str(refused))
                return redirect("servers:import")
            form.add_error("file", str(refused))
    count = sum(line.state in REGISTERED for line in lines)
    context = {"form": form, "lines": lines, "summary": summary(lines), "sealed": sealed, "count": count}
    return render(request, "servers/import.html", context, status=422 if form.errors else 200)


def _seal(request: HttpRequest, found: list[FoundServer], defaults: Defaults) -> str:
    """The servers with their passwords, encrypted: the page of the dry run carries them, and nothing is stored."""
    content = {
        "for": account_of(request).pk,
        "until": timezone.now().timestamp() + CONFIRM_WITHIN_S,
        "found": [asdict(one) for one in found],
        "defaults": asdict(defaults),
    }
    return vault.seal(json.dumps(content)).decode()


def _confirmed(request: HttpRequest) -> HttpResponse:
    try:
        lines = plan(*_opened(request))
        made = register(account_of(request), lines)
    except PlanError as taken:
        messages.error(request, str(taken))
        return redirect("servers:import")
    except (KeyMissing, Unreadable, Refused, ValueError, KeyError):
        messages.error(request, "Nothing was registered: the dry run is too old or not yours. Read the file again.")
        return redirect("servers:import")
    servers = "1 server is" if len(made) == 1 else f"{len(made)} servers are"
    messages.success(request, f"{servers} registered. Nothing was sent to them.")
    return redirect("servers:list")


def _opened(request: HttpRequest) -> tuple[list[FoundServer], Defaults]:
    content = json.loads(vault.open_sealed(request.POST["sealed"].encode()))
    if content["for"] != account_of(request).pk or content["until"] < timezone.now().timestamp():
        raise ValueError
    return [read(FoundServer, one) for one in content["found"]], read(Defaults, content["defaults"])
