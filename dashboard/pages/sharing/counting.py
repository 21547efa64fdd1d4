"""Views of a link: requests of browsers for its first page. A reload counts again. Not counted: pages of cells and
trials, charts, files, HEAD, prefetched pages, and known crawlers and previews. Embedded charts have their own count."""

from typing import Literal

from django.db.models import F
from django.http import HttpRequest
from django.utils import timezone

from dashboard.records.sharing.models import ShareLink

# Parts of the user agents of crawlers and previews, in lower case.
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
    """The database adds, so two views at the same time count as two."""
    if may_be_a_reader(request):
        ShareLink.objects.filter(pk=link.pk).update(**{what: F(what) + 1}, used_at=timezone.now())
