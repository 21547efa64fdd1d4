"""Share links: made, listed, annotated, revoked."""

from typing import Literal

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Field, Query, Schema, Status
from ninja.pagination import RouterPaginated

from dashboard.findings.compare.choice import BYS, SCALES, AskedComparison
from dashboard.findings.compare.figures import FIGURES, MOST_RUNS
from dashboard.pages.api.door import Token
from dashboard.pages.api.fields import Given, Id, Username, with_columns
from dashboard.pages.api.problems import Conflict
from dashboard.pages.sharing import comparisons
from dashboard.records.experiments.models import Experiment
from dashboard.records.sharing import actions, queries
from dashboard.records.sharing.models import ShareLink
from dashboard.text.names import Name

router = RouterPaginated()


@with_columns(
    ShareLink, "experiment_id comparison note embeddable views embeds created_at expires_at revoked_at used_at"
)
class LinkOut(Schema):
    """A link to the result of an experiment or to a comparison (the query of its page). `views` counts readers of the
    first page, `embeds` readers of single charts on other sites. Known previews of messengers do not count."""

    id: int
    title: str
    state: Literal["open", "expired", "revoked"]
    is_open: bool
    created_by: Username

    @staticmethod
    def resolve_title(link: ShareLink) -> str:
        return str(link)


class LinkMade(LinkOut):
    """With its address, which cannot be shown again."""

    address: str


class LinkIn(Given):
    days: int | None = Field(30, ge=1, le=3650, description="Until it expires; null: never.")
    note: Name = Field("", max_length=200, examples=["for the team"])
    embeddable: bool = Field(False, description="Whether other sites may frame single charts of it.")


class ComparisonIn(LinkIn):
    """`runs`: ids of measurements. Runs of one point are combined; the other points are compared with the first."""

    runs: list[Id] = Field(min_length=1, max_length=MOST_RUNS)
    figure: Literal[tuple(FIGURES)] = AskedComparison.figure  # type: ignore[valid-type]
    by: Literal[tuple(BYS)] = AskedComparison.by  # type: ignore[valid-type]
    scale: Literal[SCALES] = AskedComparison.scale  # type: ignore[valid-type]


class NoteIn(Given):
    note: Name = Field(max_length=200, examples=["for the team"])


class LinkFilter(Schema):
    open: bool = Field(False, description="Only open links.")


@router.get("/links", auth=Token("share"), response=list[LinkOut])
def list_all_links(request: HttpRequest, wanted: Query[LinkFilter]) -> QuerySet[ShareLink]:
    """All share links of this installation, the newest first, without their addresses."""
    return queries.links(only_open=wanted.open)


@router.post("/links", auth=Token("share"), response={201: LinkMade})
def make_comparison_link(request: HttpRequest, response: HttpResponse, asked: ComparisonIn) -> Status[object]:
    """A link that shows points of experiments side by side, as the compare page does, and no other data."""
    wanted = AskedComparison(tuple(dict.fromkeys(asked.runs)), asked.figure, asked.by, asked.scale)
    chosen, compared = comparisons.there(wanted)
    if not compared:
        raise Conflict("There is nothing to share: none of these runs was measured here. No link was made.")
    limits = (asked.days, asked.note)
    link, token = actions.share(
        request.user, None, *limits, embeddable=asked.embeddable, comparison=chosen.query(), compared=compared
    )
    return _made(request, response, link, token)


@router.get("/experiments/{int:experiment_id}/links", auth=Token("share"), response=list[LinkOut])
def list_links(request: HttpRequest, experiment_id: Id, wanted: Query[LinkFilter]) -> QuerySet[ShareLink]:
    """The share links that show an experiment, without their addresses."""
    return queries.links(get_object_or_404(Experiment, pk=experiment_id), only_open=wanted.open)


@router.post("/experiments/{int:experiment_id}/links", auth=Token("share"), response={201: LinkMade})
def make_link(request: HttpRequest, response: HttpResponse, experiment_id: Id, asked: LinkIn) -> Status[object]:
    """A link that shows the result to whoever has it."""
    experiment = get_object_or_404(Experiment, pk=experiment_id)
    link, token = actions.share(request.user, experiment, asked.days, asked.note, embeddable=asked.embeddable)
    return _made(request, response, link, token)


def _made(request: HttpRequest, response: HttpResponse, link: ShareLink, token: str) -> Status[object]:
    response["Cache-Control"] = "no-store"
    address = request.build_absolute_uri(reverse("sharing:show", args=[token]))
    link.address = address  # type: ignore[attr-defined]  # stored nowhere
    return Status(201, link)


@router.patch("/links/{int:link_id}", auth=Token("share"), response=LinkOut)
def annotate_link(request: HttpRequest, link_id: Id, asked: NoteIn) -> ShareLink:
    """Change the note, for example the receiver of the link."""
    link = get_object_or_404(ShareLink.objects.kept(), pk=link_id)
    actions.annotate(request.user, link, asked.note)
    return link


@router.delete("/links/{int:link_id}", auth=Token("share"), response={204: None})
def revoke_link(request: HttpRequest, link_id: Id) -> None:
    """The link stops working at once."""
    actions.revoke(request.user, get_object_or_404(ShareLink.objects.kept(), pk=link_id))
