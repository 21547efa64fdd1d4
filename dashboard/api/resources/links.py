"""Share links: made, listed, revoked."""

from datetime import datetime

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Field, Router, Schema, Status
from ninja.pagination import paginate
from pydantic import ConfigDict

from dashboard.api.door import Token
from dashboard.api.paging import Id, Pages
from dashboard.experiments.models import Experiment
from dashboard.sharing import actions
from dashboard.sharing.models import ShareLink

router = Router()


class LinkOut(Schema):
    id: int
    experiment_id: int
    note: str
    is_open: bool
    views: int
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    used_at: datetime | None


class LinkMade(LinkOut):
    """With its address, which cannot be shown again."""

    address: str


class LinkIn(Schema):
    model_config = ConfigDict(extra="forbid")
    days: int | None = Field(30, ge=1, le=3650, description="Until it expires; null: never.")
    note: str = Field("", max_length=200)


@router.get("/experiments/{int:experiment_id}/links", auth=Token("share"), response=list[LinkOut])
@paginate(Pages)
def list_links(request: HttpRequest, experiment_id: Id) -> QuerySet[ShareLink]:
    """The share links of an experiment, without their addresses."""
    return get_object_or_404(Experiment, pk=experiment_id).links.all()


@router.post("/experiments/{int:experiment_id}/links", auth=Token("share"), response={201: LinkMade})
def make_link(request: HttpRequest, response: HttpResponse, experiment_id: Id, asked: LinkIn) -> Status:
    """A link that shows the result to whoever has it."""
    experiment = get_object_or_404(Experiment, pk=experiment_id)
    link, token = actions.share(request.user, experiment, asked.days, asked.note)
    response["Cache-Control"] = "no-store"
    link.address = request.build_absolute_uri(reverse("sharing:show", args=[token]))
    return Status(201, link)


@router.delete("/links/{int:link_id}", auth=Token("share"), response={204: None})
def revoke_link(request: HttpRequest, link_id: Id) -> Status:
    """Whoever has it sees nothing from then on."""
    actions.revoke(request.user, get_object_or_404(ShareLink.objects.select_related("experiment"), pk=link_id))
    return Status(204, None)
