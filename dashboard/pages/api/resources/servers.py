"""Servers: listed, registered, changed, deleted, tested. What a field may hold is decided by the forms of the pages."""

from typing import Literal, TypeAlias

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, PatchDict, Schema, Status
from ninja.errors import HttpError
from ninja.pagination import RouterPaginated

from dashboard.pages.api.door import Token
from dashboard.pages.api.fields import Given, Id, Username, with_columns
from dashboard.pages.api.problems import BadForm, valid
from dashboard.pages.servers.command_forms import MOST_ARGUMENTS, CommandForm, ExpendableForm, FailoverManagerForm
from dashboard.pages.servers.forms import FORMS, AttachedForm, HandOverForm, SandboxForm
from dashboard.pages.servers.level_form import LevelForm
from dashboard.records.accounts.actor import Actor
from dashboard.records.accounts.roles import require
from dashboard.records.fleet.site_names import LOCAL
from dashboard.records.holds.models import PendingRestore
from dashboard.records.servers import actions, levels, managers, queries
from dashboard.records.servers.levels import DISASTERS, Wanted
from dashboard.records.servers.models import Preflight, Server

router = RouterPaginated()
Tls: TypeAlias = Literal[tuple(Server.Tls.values)]  # type: ignore[valid-type]
Label: TypeAlias = Literal[tuple(Server.Label.values)]  # type: ignore[valid-type]
Survived: TypeAlias = Literal[tuple(DISASTERS)]  # type: ignore[valid-type]


@with_columns(Server, "kind label host port socket user tls build site service note expendable binlog_index created_at")
class ServerOut(Schema):
    id: int
    name: str
    crash_command: list[str]
    start_command: list[str]
    failover_command: list[str]
    owner: Username


class ServerFields(Given):
    """An attached server has no build; a sandbox has a name, a build and a note. `site`: the site whose workers
    measure it."""

    name: str
    host: str = ""
    port: int = 3306
    socket: str = ""
    user: str = ""
    password: str = Field("", description="Empty in a change: the stored one stays, if address, account and TLS do.")
    tls: Tls = Server.Tls.PREFERRED.value
    tls_ca: str = ""
    label: Label = Server.Label.TEST.value
    build: str = ""
    site: str = LOCAL
    service: Literal["", "none", "aurora", "rds", "cloud-sql", "azure"] = Field(
        "", description="The managed service of an attached server; empty: the connection test recognises it."
    )
    note: str = Field("", examples=["Rack 3"])


class ServerIn(ServerFields):
    """`kind` attached: host and port, or a socket, and an account. `kind` sandbox: a build."""

    kind: Literal["attached", "sandbox"] = Field(examples=["sandbox"])
    build: str = Field("", examples=["system-mariadb"])


class OwnerIn(Given):
    to: str = Field(description="The name of an operator's or administrator's account.", examples=["maria"])


class ExpendableIn(Given):
    """Commands as lists of arguments, the program first; no shell reads them. `binlog_index`: where the index of the
    binary log lies on the worker's machine, if it is there. `typed_name`: the server's name."""

    crash: list[str] = Field(max_length=MOST_ARGUMENTS, examples=[["ssh", "db1", "kill-server"]])
    start: list[str] = Field(max_length=MOST_ARGUMENTS, examples=[["ssh", "db1", "start-server"]])
    binlog_index: str = ""
    typed_name: str = Field(examples=["db1"])


class FailoverManagerIn(Given):
    """A command as a list of arguments, the program first by its whole path; no shell reads it. `typed_name`: the
    server's name."""

    command: list[str] = Field(max_length=MOST_ARGUMENTS, examples=[["/usr/local/bin/manager", "-v"]])
    typed_name: str = Field(examples=["box"])


class LevelIn(Given):
    """What the commits of a server must reach and survive. `survives`: kill, power, command, failover; `lost_s`: the
    seconds of acknowledged commits that such a crash may take, 0 for nothing. Everything left out: no service level."""

    commits_per_s: float | None = Field(None, examples=[4000])
    p99_ms: float | None = Field(None, examples=[20])
    survives: list[Survived] = Field([], max_length=len(DISASTERS), examples=[["power"]])
    lost_s: float = 0


@with_columns(PendingRestore, "kind name old experiment_id noted_at tried_at problem")
class PendingRestoreOut(Schema):
    """What must be put back: a `variable` to `old`, a `schema` that was made, a server that was crashed (`start`)."""

    id: int


@with_columns(Preflight, "server_id state asked_at done_at")
class ConnectionTest(Schema):
    """A test of the connection: asked for, then answered by a worker."""

    id: int
    outcome: str
    checks: list[dict[str, object]]
    durability: list[dict[str, object]]
    facts: dict[str, object]


@router.get("/servers", auth=Token("see"), response=list[ServerOut])
def list_servers(request: HttpRequest) -> QuerySet[Server]:
    """All servers by name."""
    return Server.objects.select_related("owner")


@router.post("/servers", auth=Token("register_server"), response={201: ServerOut})
def register_server(request: HttpRequest, asked: ServerIn) -> Status[object]:
    """Register a server that runs, or add a sandbox. It belongs to you."""
    form = valid(FORMS[asked.kind](asked.dict(), instance=Server()))
    return Status(201, actions.register(request.user, form.instance, form.cleaned_data.get("password", "")))


@router.get("/servers/{int:server_id}", auth=Token("see"), response=ServerOut)
def show_server(request: HttpRequest, server_id: Id) -> Server:
    """One server. Its password is shown nowhere."""
    return _known(server_id)


@router.patch("/servers/{int:server_id}", auth=Token("change_server"), response=ServerOut)
@transaction.atomic
def change_server(request: HttpRequest, server_id: Id, wanted: PatchDict[ServerFields]) -> Server:
    """Change or label a server of yours. Another address ends the mark expendable, and is refused while something is
    measured there or must be put back. Another address, account or TLS needs the password again."""
    server = _locked(request.user, server_id)
    form = _changed(server, wanted)
    try:
        actions.change(request.user, form.instance, form.cleaned_data.get("password", ""), form.changed_data)
    except ValidationError as wrong:
        form.add_error(None, wrong)  # it names its field
        raise BadForm(form) from wrong
    return _known(server_id)


@router.post("/servers/{int:server_id}/owner", auth=Token("change_server"), response=ServerOut)
def hand_over_server(request: HttpRequest, server_id: Id, wanted: OwnerIn) -> Server:
    """Give a server of yours to somebody else. That ends the mark expendable."""
    server = _known(server_id)
    require(request.user, "change_server", server)
    to = User.objects.filter(username=wanted.to).values_list("pk", flat=True).first()
    actions.hand_over(request.user, server, valid(HandOverForm({"to": to})).cleaned_data["to"])
    return _known(server_id)


@router.put("/servers/{int:server_id}/expendable", auth=Token("allow_crashes"), response=ServerOut)
def mark_expendable(request: HttpRequest, server_id: Id, wanted: ExpendableIn) -> Server:
    """Let crash experiments take a server of yours down with these commands. Nothing is sent to it."""
    return _named(request, ExpendableForm, server_id, wanted)


@router.delete("/servers/{int:server_id}/expendable", auth=Token("allow_crashes"), response=ServerOut)
def withdraw_expendable(request: HttpRequest, server_id: Id) -> Server:
    """No experiment crashes it any more. A server that is down after a crash is still started."""
    actions.withdraw_expendable(request.user, _known(server_id))
    return _known(server_id)


@router.put("/servers/{int:server_id}/failover-manager", auth=Token("allow_crashes"), response=ServerOut)
def name_failover_manager(request: HttpRequest, server_id: Id, wanted: FailoverManagerIn) -> Server:
    """Let failover trials on topologies of a sandbox of yours run this command (`policy=manager`)."""
    return _named(request, FailoverManagerForm, server_id, wanted)


@router.delete("/servers/{int:server_id}/failover-manager", auth=Token("allow_crashes"), response=ServerOut)
def withdraw_failover_manager(request: HttpRequest, server_id: Id) -> Server:
    """Trials on topologies of this sandbox run the manager of the installation, if there is one."""
    managers.withdraw(request.user, _known(server_id))
    return _known(server_id)


@router.get("/servers/{int:server_id}/service-level", auth=Token("see"), response=LevelIn)
def show_service_level(request: HttpRequest, server_id: Id) -> Wanted:
    """What its commits must reach and survive. Results on this server say which settings meet it."""
    return levels.of(_known(server_id).pk) or Wanted()


@router.put("/servers/{int:server_id}/service-level", auth=Token("change_server"), response=LevelIn)
def set_service_level(request: HttpRequest, server_id: Id, wanted: LevelIn) -> Wanted:
    """Set the service level of a server of yours. An empty one removes it."""
    levels.agree(request.user, _known(server_id), valid(LevelForm(wanted.model_dump())).wanted())
    return show_service_level(request, server_id)


@router.get("/servers/{int:server_id}/pending-restores", auth=Token("see"), response=list[PendingRestoreOut])
def list_pending_restores(request: HttpRequest, server_id: Id) -> QuerySet[PendingRestore]:
    """The pending restores of a server, and the last error of each."""
    return queries.pending_restores(_known(server_id))


@router.post("/servers/{int:server_id}/start", auth=Token("allow_crashes"), response={202: ServerOut})
def start_server(request: HttpRequest, server_id: Id) -> Status[object]:
    """Have a server that an experiment crashed started again within seconds, not at the next try."""
    actions.start_now(request.user, _known(server_id))
    return Status(202, _known(server_id))


@router.delete("/servers/{int:server_id}", auth=Token("change_server"), response={204: None})
@transaction.atomic
def delete_server(request: HttpRequest, server_id: Id) -> None:
    """Remove a server of yours from the list. The server itself is not touched. A server with results is kept."""
    actions.remove(request.user, _locked(request.user, server_id))


@router.post("/servers/{int:server_id}/tests", auth=Token("test_server"), response={202: ConnectionTest})
def test_server(request: HttpRequest, server_id: Id) -> Status[object]:
    """Ask a worker to test the connection. A test that is under way is returned instead of a second one."""
    return Status(202, actions.ask_preflight(request.user, _known(server_id)))


@router.get("/tests/{int:test_id}", auth=Token("see"), response=ConnectionTest)
def show_test(request: HttpRequest, test_id: Id) -> Preflight:
    """What a test of the connection found; `state` is done when it is over."""
    return get_object_or_404(Preflight, pk=test_id)


def _known(server_id: int) -> Server:
    return get_object_or_404(Server.objects.select_related("owner"), pk=server_id)


def _named(request: HttpRequest, form_of: type[CommandForm], server_id: int, wanted: Schema) -> Server:
    """Store the commands, and return the server. Raises BadForm."""
    server, given = _known(server_id), wanted.dict()
    require(request.user, "allow_crashes", server)
    commands = {name: value for name, value in given.items() if isinstance(value, list)}
    form = form_of(server, {**given, **{name: "\n".join(command) for name, command in commands.items()}})
    for name, command in commands.items():  # the form's field is a text, which could be read as other arguments
        if form.is_valid() and form.cleaned_data[name] != command:
            form.add_error(name, "An argument is one line, not empty, without blanks at its ends.")
    valid(form).save(request.user)
    return _known(server_id)


def _locked(user: Actor, server_id: int) -> Server:
    """A server of this person, locked until the transaction ends, so nobody else changes it meanwhile."""
    get_object_or_404(Server.objects.select_for_update(), pk=server_id)
    server = _known(server_id)
    require(user, "change_server", server)
    return server


def _changed(server: Server, given: dict[str, object]) -> AttachedForm | SandboxForm:
    """A valid form with the present values and the given ones. Raises HttpError for a field that its kind lacks."""
    form = FORMS[server.kind]
    if strange := sorted(given.keys() - set(form.Meta.fields)):
        raise HttpError(422, f"A server of kind {server.kind} has no {', '.join(strange)}")
    now = {name: getattr(server, name) for name in form.Meta.fields if name != "password"}
    return valid(form({**now, **given}, instance=server))
