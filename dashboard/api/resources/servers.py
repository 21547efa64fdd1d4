"""Servers: listed, registered, deleted, tested. What a field may hold is decided by the forms of the pages."""

from datetime import datetime
from typing import Any, Literal

from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router, Schema, Status
from ninja.pagination import paginate
from pydantic import ConfigDict

from dashboard.api.door import Token
from dashboard.api.paging import Id, Pages
from dashboard.api.problems import BadForm
from dashboard.servers import actions
from dashboard.servers.forms import FORMS
from dashboard.servers.models import Preflight, Server

router = Router()


class ServerOut(Schema):
    id: int
    name: str
    kind: str
    label: str
    host: str
    port: int
    socket: str
    user: str
    tls: str
    build: str
    note: str
    expendable: bool
    owner: str | None
    created_at: datetime

    @staticmethod
    def resolve_owner(server: Server) -> str | None:
        return server.owner.get_username() if server.owner else None


class ServerIn(Schema):
    """`kind` attached: host and port, or a socket, and an account. `kind` sandbox: a build."""

    model_config = ConfigDict(extra="forbid")
    kind: Literal["attached", "sandbox"]
    name: str
    host: str = ""
    port: int = 3306
    socket: str = ""
    user: str = ""
    password: str = ""
    tls: str = Server.Tls.PREFERRED
    tls_ca: str = ""
    label: str = Server.Label.TEST
    build: str = ""
    note: str = ""


class ConnectionTest(Schema):
    """A test of the connection: asked for, then answered by a worker."""

    id: int
    server_id: int
    state: str
    outcome: str
    asked_at: datetime
    done_at: datetime | None
    checks: list[dict[str, Any]]
    durability: list[dict[str, Any]]
    facts: dict[str, Any]


@router.get("/servers", auth=Token("see"), response=list[ServerOut])
@paginate(Pages)
def list_servers(request: HttpRequest) -> QuerySet[Server]:
    """All servers by name."""
    return Server.objects.select_related("owner")


@router.post("/servers", auth=Token("register_server"), response={201: ServerOut})
def register_server(request: HttpRequest, asked: ServerIn) -> Status:
    """Register a server that runs, or add a sandbox. It belongs to you."""
    form = FORMS[asked.kind](asked.dict(), instance=Server())
    if not form.is_valid():
        raise BadForm(form)
    return Status(201, actions.register(request.user, form.instance, form.cleaned_data.get("password", "")))


@router.get("/servers/{int:server_id}", auth=Token("see"), response=ServerOut)
def show_server(request: HttpRequest, server_id: Id) -> Server:
    """One server. Its password is shown nowhere."""
    return _known(server_id)


@router.delete("/servers/{int:server_id}", auth=Token("change_server"), response={204: None})
def delete_server(request: HttpRequest, server_id: Id) -> Status:
    """Forget a server of yours. The server itself is not touched; one that results rest on is kept."""
    actions.remove(request.user, _known(server_id))
    return Status(204, None)


@router.post("/servers/{int:server_id}/tests", auth=Token("test_server"), response={202: ConnectionTest})
def test_server(request: HttpRequest, server_id: Id) -> Status:
    """Ask a worker to test the connection; one that is still under way is answered with itself."""
    return Status(202, actions.ask_preflight(request.user, _known(server_id)))


@router.get("/tests/{int:test_id}", auth=Token("see"), response=ConnectionTest)
def show_test(request: HttpRequest, test_id: Id) -> Preflight:
    """What a test of the connection found; `state` is done when it is over."""
    return get_object_or_404(Preflight, pk=test_id)


def _known(server_id: int) -> Server:
    return get_object_or_404(Server.objects.select_related("owner"), pk=server_id)
