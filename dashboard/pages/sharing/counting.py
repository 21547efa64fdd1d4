"""What counts as a view: the first page behind a link, asked for by what may be a reader's browser. Not counted are the
pages of cells and trials, charts, files and pictures; HEAD; pages fetched ahead in case they are wanted; and programs
that make previews or indexes and say so. A reload counts again. Embedded charts have a count of their own."""

from typing import Literal

from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone

from dashboard.records.sharing.models import ShareLink

# Parts of the names by which such programs call themselves, in small letters.
PROGRAMS = (
    "bot", "crawler", "spider", "preview", "facebookexternalhit", "facebookcatalog", "embedly", "iframely", "whatsapp",
    "slack-imgproxy", "skypeuri", "mattermost", "zulip", "mastodon", "pinterest", "vkshare", "snapchat", "curl/",
    "wget/", "python-requests", "python-httpx", "go-http-client",
)  # fmt: skip


def may_be_a_reader(request: HttpRequest) -> bool:
    name = request.headers.get("User-Agent", "").lower()
    ahead = request.headers.get("Sec-Purpose", request.headers.get("Purpose", ""))
    return request.method == "GET" and "prefetch" not in ahead and not any(part in name for part in PROGRAMS)


def count(request: HttpRequest, link: ShareLink, what: Literal["views", "embeds"]) -> None:
    """The database adds, so that two at once are two."""
    if may_be_a_reader(request):
        ShareLink.objects.filter(pk=link.pk).update(**{what: F(what) + 1}, used_at=timezone.now())
