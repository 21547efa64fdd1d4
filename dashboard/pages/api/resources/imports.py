"""Servers of a file: first what would be done, then the same again for good, as on the page."""

from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from ninja import Field, File, Form, Schema, Status, UploadedFile
from ninja.pagination import RouterPaginated

from dashboard.pages.api.door import Token
from dashboard.pages.api.fields import Given, with_values
from dashboard.pages.api.problems import valid
from dashboard.pages.servers.import_page import ImportServersForm
from dashboard.pages.servers.importing import ImportLine, plan, register, summary
from dashboard.records.servers.models import Server

router = RouterPaginated()


class ImportServersIn(Given):
    """For servers whose file does not say it: `user`, `password`, `label`, `site`. `group`: only the hosts of this
    Ansible group."""

    group: str = ""
    user: str = ""
    password: str = ""
    label: str = Server.Label.PRODUCTION
    site: str = ""
    confirm: bool = Field(False, description="If false, nothing is registered: the answer says what would be done.")


@with_values(ImportLine, "name where user state says")
class ImportLineOut(Schema):
    """`state`: new, password missing, known already or refused."""


class ImportOut(Schema):
    """`registered`: ids of the servers that are registered now; empty in a dry run."""

    summary: str
    lines: list[ImportLineOut]
    registered: list[int]


@router.post("/servers/import", auth=Token("register_server"), response={200: ImportOut, 201: ImportOut})
def import_servers(request: HttpRequest, file: File[UploadedFile], given: Form[ImportServersIn]) -> Status[object]:
    """The servers of an option file or inventory: 200 with a dry run, 201 with `confirm` if any was registered. They
    belong to you. Nothing is sent to them, and no password is shown."""
    form = valid(ImportServersForm(given.dict(), MultiValueDict({"file": [file]})))
    lines = plan(form.found(), form.defaults())
    made = register(request.user, lines) if given.confirm else []
    told = [ImportLineOut.from_orm(line) for line in lines]
    return Status(
        201 if made else 200, ImportOut(summary=summary(lines), lines=told, registered=[one.pk for one in made])
    )
