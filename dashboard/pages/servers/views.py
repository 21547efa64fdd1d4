from collections.abc import Callable
from functools import partial
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string

from dashboard.findings import service_level
from dashboard.findings.attached.profile import not_judged, profile_of, service_of
from dashboard.findings.attached.topology import topology_of
from dashboard.findings.crash.badges import badges, tried_like
from dashboard.findings.crash.durability import of_server
from dashboard.findings.crash.reference import reference
from dashboard.findings.crash.report_lines import report_lines
from dashboard.installation import vault
from dashboard.pages.accounts.confirmed import confirmed
from dashboard.pages.accounts.gate import needs
from dashboard.pages.buttons import button
from dashboard.pages.front import page
from dashboard.pages.servers.command_forms import CommandForm, ExpendableForm, FailoverManagerForm
from dashboard.pages.servers.forms import FORMS, AttachedForm, ConfirmKeyForm, HandOverForm, SandboxForm
from dashboard.pages.servers.level_form import LevelForm
from dashboard.records.accounts.roles import NotAllowed, allowed, require
from dashboard.records.experiments import search
from dashboard.records.experiments.models import Experiment
from dashboard.records.fleet import sites
from dashboard.records.refused import Refused
from dashboard.records.servers import actions, levels, managers, pins, queries
from dashboard.records.servers.account import statements
from dashboard.records.servers.models import Preflight, Server
from workers.sandbox import builds
from workers.servers.durability import DERIVED

SERVERS_A_PAGE = 100
EXPERIMENTS = 5  # the newest, of all that are linked


@needs("see", "GET")
def servers(request: HttpRequest) -> HttpResponse:
    words = request.GET.get("words", "")[: search.LONGEST]
    page = Paginator(found := queries.named(words), SERVERS_A_PAGE).get_page(request.GET.get("page"))
    shown = found[max(page.start_index() - 1, 0) : page.end_index()]
    asked = urlencode({"words": words}) if words else ""
    context = {"page": page, "lines": queries.lines(shown), "words": words, "query": asked}
    return render(request, "servers/list.html", context)


@needs("register_server", "GET", "POST")
def register(request: HttpRequest) -> HttpResponse:
    kind = request.GET.get("kind", "")
    kind = kind if kind in FORMS else Server.Kind.ATTACHED
    build = request.GET.get("build", "")
    form = FORMS[kind](request.POST or None, instance=Server(), initial={"name": build, "build": build})
    if form.is_valid():
        return _saved(request, form, actions.register)
    context = {"form": form, "kind": kind, "grants": statements() if kind == Server.Kind.ATTACHED else []}
    return render(request, "servers/form.html", context)


@needs("change_server", "GET", "POST")
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    server = get_object_or_404(Server, pk=pk)
    require(request.user, "change_server", server)
    name = server.name  # the form writes into the server even if it is refused
    form = FORMS[server.kind](request.POST or None, instance=server)
    if form.is_valid():
        try:
            return _saved(request, form, partial(actions.change, changed=form.changed_data))
        except ValidationError as wrong:
            form.add_error(None, wrong)  # it names its field
    context = {"form": form, "kind": server.kind, "server": server, "name": name, **_account(server)}
    return render(request, "servers/form.html", context)


@needs("change_server", "GET", "POST")
def level(request: HttpRequest, pk: int) -> HttpResponse:
    server = get_object_or_404(Server, pk=pk)
    require(request.user, "change_server", server)
    stored = levels.of(pk)
    form = LevelForm(request.POST if request.method == "POST" else None, initial=vars(stored) if stored else None)
    if form.is_valid():
        levels.agree(request.user, server, form.wanted())
        messages.success(request, f"The service level of {server} is saved.")
        return redirect("servers:detail", pk)
    return render(request, "servers/level.html", {"server": server, "form": form})


def _account(server: Server) -> dict[str, object]:
    """SQL for its account, for the version of the last connection test."""
    if server.is_sandbox:
        return {"grants": ()}
    answered, managed = server.last_answer, bool(service_of(server)[0])
    facts = answered.known if answered else None
    return {"grants": statements(server, facts, managed=managed), "managed": managed}


def _saved(request: HttpRequest, form: AttachedForm | SandboxForm, save: Callable[..., Server]) -> HttpResponse:
    """Store a valid form. Problems that the form cannot know (lost key, pending restores) are shown on the list."""
    try:
        server = save(request.user, form.instance, form.cleaned_data.get("password", ""))
    except (vault.KeyMissing, Refused) as refused:
        messages.error(request, str(refused))
        return redirect("servers:list")
    messages.success(request, f"{server} is saved.")
    if "test" in request.POST:
        _ask_preflight(request, server)
    if save is actions.register and server.is_sandbox and not Experiment.objects.exists():
        return redirect("experiments:new")  # first use: measuring is the next step
    return redirect("servers:detail", server.pk)


@needs("see", "GET")
def detail(request: HttpRequest, pk: int) -> HttpResponse:
    server = get_object_or_404(Server.objects.select_related("owner"), pk=pk)
    mine = allowed(request.user, "change_server", server)
    service = service_of(server)[0]
    answered, tried = server.last_answer, tried_like(server, own=bool(service))
    references = reference(of_server(answered.known), tried) if answered and not service else []
    report = report_lines(answered.report, tried, references, not_judged(service)) if answered else []
    context = {
        "server": server,
        "nobody": sites.no_worker_message(server.site),
        "preflight": server.preflights.first(),
        "keys": pins.keys(server),
        "answered": answered,
        "server_version": answered.known.version_text if answered else queries.measured_version(server),
        "derived": DERIVED,
        "pending_restores": queries.pending_restores(server),
        "is_down": queries.is_down(server),
        "locked": vault.problem_with(bytes(server.password_sealed)),
        **_account(server),
        "verdicts": badges(tried),
        "references": references,
        "report": report,
        "topology": topology_of(server),
        "profile": None if server.is_sandbox else profile_of(server),
        "neighbours": sorted({one.neighbour for line in report for one in line.measured if one.neighbour}),
        "known": page.line(server),
        "level": service_level.stored_words(server),
        "experiments": search.found({"server": server.pk}, request.user)[:EXPERIMENTS],
        "build": builds.every().get(server.build),
        "mine": mine,
        "hand_over": HandOverForm(initial={"to": server.owner_id}) if mine else None,
    }
    return render(request, "servers/detail.html", context)


def _command_page(
    form_of: type[CommandForm], template: str, why_not: Callable[[Server], str], saved: str
) -> Callable[..., HttpResponse]:
    """A page on which the owner of a server names commands. `why_not`: why this server has none, "" if it can have
    them; `saved`: the message, where {} is the server."""

    @confirmed  # a worker runs the commands
    def page(request: HttpRequest, server: Server) -> HttpResponse:
        form, status = form_of(server, request.POST or None), 200
        try:
            if refusal := why_not(server):
                raise Refused(refusal)
            if form.is_valid():
                form.save(request.user)
                messages.success(request, saved.format(server))
                return redirect("servers:detail", server.pk)
        except NotAllowed as refused:  # a program that is not listed; the form keeps its input
            form.add_error(None, str(refused))
            status = 403
        except Refused as refused:
            messages.error(request, str(refused))
            return redirect("servers:detail", server.pk)
        context = {"server": server, "form": form, "programs": settings.CRASH_PROGRAMS}
        return render(request, template, context, status=status)

    @needs("allow_crashes", "GET", "POST")
    def of_owner(request: HttpRequest, pk: int) -> HttpResponse:
        server = get_object_or_404(Server, pk=pk)
        require(request.user, "allow_crashes", server)
        return page(request, server)

    return of_owner


expendable = _command_page(
    ExpendableForm,
    "servers/expendable.html",
    queries.why_not_expendable,
    "{} is marked expendable. Nothing was sent to it.",
)
failover_manager = _command_page(
    FailoverManagerForm,
    "servers/failover_manager.html",
    managers.why_not_named,
    "{} has a failover manager. Nothing was run.",
)
_button = partial(button, Server.objects.all(), "servers:detail")
test = _button("test_server", actions.ask_preflight)
confirm_key = _button(
    "change_server", pins.confirm, "The key of {} is confirmed. Test the connection again.", form=ConfirmKeyForm
)
hand_over = _button("change_server", actions.hand_over, "{1} is now the owner of {0}.", form=HandOverForm)
delete = _button(
    "change_server", actions.remove, "{} is deleted. The server itself was not touched.", then="servers:list"
)
withdraw = _button(
    "allow_crashes", actions.withdraw_expendable, "{} is no longer expendable. No experiment can crash it any more."
)
withdraw_manager = _button("allow_crashes", managers.withdraw, "{} has no failover manager of its own any more.")
start = _button(
    "allow_crashes", actions.start_now, "A worker runs the start command of {} within seconds, if its host is free."
)


def _ask_preflight(request: HttpRequest, server: Server) -> None:
    try:
        actions.ask_preflight(request.user, server)
    except Refused as refused:
        messages.warning(request, str(refused))


@needs("see", "GET")
def preflight(request: HttpRequest, pk: int) -> JsonResponse:
    """For preflight.js: the state, and its HTML."""
    found = get_object_or_404(Preflight.objects.select_related("server"), pk=pk)
    context = {"preflight": found, "nobody": sites.no_worker_message(found.server.site)}
    shown = render_to_string("servers/_preflight.html", context, request)
    return JsonResponse({"state": found.state, "html": shown})
