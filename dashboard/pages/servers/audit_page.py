"""The audit: what each server survives by its settings. Pasted texts are neither stored nor logged."""

from operator import attrgetter

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters

from dashboard.findings.audit.audit import against, audit
from dashboard.findings.audit.fleet import fleet_audit
from dashboard.findings.audit.subject import AuditedServer, by_tests, pasted
from dashboard.pages.accounts.gate import account_of, needs
from dashboard.records.fleet import sites
from dashboard.records.refused import Refused
from dashboard.records.servers import actions, queries
from dashboard.records.servers.models import Preflight
from dashboard.text.asked import asked_number
from workers.errors import PlanError
from workers.servers.durability import DERIVED
from workers.servers.pasted.named_version import NamedVersion, named_version
from workers.servers.pasted.read import MOST_CHARACTERS, read

LINES_A_PAGE = 50  # the worst first
ROWS = {"rows": 8, "spellcheck": "false", "autocomplete": "off"}


class PastedForm(forms.Form):
    text = forms.CharField(
        label="Settings of a server",
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs=ROWS),
        help_text="The output of SHOW GLOBAL VARIABLES in any form (table, tabs, \\G, JSON, CSV), or a my.cnf.",
    )
    other = forms.CharField(
        label="Settings of a second server",
        required=False,
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs=ROWS),
        help_text="The page then also shows the settings in which the two differ.",
    )
    of = forms.CharField(
        label="Version",
        required=False,
        max_length=40,
        help_text="If you paste a my.cnf: the version of its server, for example MariaDB 10.11. Settings that the file "
        "leaves out are then the defaults of this version; without a version they are unknown.",
    )

    def clean_of(self) -> NamedVersion | None:
        try:
            return named_version(self.cleaned_data["of"])
        except PlanError as wrong:
            raise forms.ValidationError(str(wrong)) from wrong

    def subjects(self) -> list[AuditedServer]:
        """Of a valid form. A text that cannot be read makes the form invalid."""
        texts = {"text": "A, pasted", "other": "B, pasted"}
        found = []
        for field, name in texts.items():
            try:
                if given := self.cleaned_data[field]:
                    found.append(pasted(name, read(given, self.cleaned_data.get("of"))))
            except PlanError as wrong:
                self.add_error(field, str(wrong))
        return found


@needs("see", "GET")
def fleet(request: HttpRequest) -> HttpResponse:
    fleet = fleet_audit()
    waiting = Preflight.objects.exclude(state=Preflight.State.DONE)
    reading = waiting.count()
    page = Paginator(fleet.outcomes, LINES_A_PAGE).get_page(request.GET.get("page"))
    found, subjects = fleet.part(list(page))
    chosen = _chosen(request)
    answered = {one.server: one for one in (*subjects, *chosen) if one.facts}
    context = {
        "audit": found,
        "page": page,
        "subjects": sorted(answered.values(), key=attrgetter("name")),
        "chosen": chosen,
        "pair": against(*chosen) if len(chosen) == 2 else None,
        "waiting": reading,
        "nobody": _nobody(waiting) if reading else "",
        "form": PastedForm(),
        "derived": DERIVED,
    }
    return render(request, "servers/audit.html", context)


def _nobody(waiting: QuerySet[Preflight]) -> str:
    """A sentence on the first site without a living worker; "" if each has one."""
    names = waiting.order_by("server__site").values_list("server__site", flat=True).distinct()
    return next((f"{says}." for name in names if (says := sites.no_worker_message(name))), "")


def _chosen(request: HttpRequest) -> list[AuditedServer]:
    """The two servers to compare that answered."""
    wanted = [pk for name in ("a", "b") if (pk := asked_number(request.GET.get(name)))]
    known = {one.server.pk: one for one in by_tests(queries.last_tests(wanted)) if one.server and one.facts}
    return [known[pk] for pk in wanted if pk in known]


@needs("see", "GET", "POST")
@sensitive_post_parameters("text", "other")
def of_text(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":  # the address of the answer, opened anew: what was pasted is not kept
        return redirect("servers:audit")
    form = PastedForm(request.POST)
    subjects = form.subjects() if form.is_valid() else []
    if form.errors:
        return render(request, "servers/audit_pasted.html", {"form": form, "derived": DERIVED}, status=422)
    pair = against(*subjects) if len(subjects) == 2 else None
    context = {"audit": audit(subjects), "pair": pair, "form": form, "derived": DERIVED}
    return render(request, "servers/audit_pasted.html", context)


@needs("test_server", "POST")
def read_all(request: HttpRequest) -> HttpResponse:
    try:
        asked = actions.ask_preflights(account_of(request))
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        servers = "1 server" if asked == 1 else f"{asked} servers"
        messages.success(request, f"Workers now read {servers}. This page fills by itself.")
    return redirect("servers:audit")
