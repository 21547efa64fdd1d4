"""Pages for everybody with a link: read-only, and only of the shared result.

Views of a link are requests of browsers for its first page. A reload counts again. Not counted: pages of cells and
trials, charts, files, HEAD, prefetched pages, and known crawlers and previews. Embedded charts have their own count.
"""

from collections.abc import Callable
from functools import wraps
from typing import Literal, TypeVar

from csp.decorators import csp_replace
from django.db.models import F
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.clickjacking import xframe_options_exempt

from dashboard.pages.accounts.gate import needs
from dashboard.pages.results import views as results
from dashboard.pages.results.compare import views as compare
from dashboard.pages.results.crash import views as crash
from dashboard.pages.sharing import comparisons, embedding, preview
from dashboard.pages.sharing.kept import as_guest, kept
from dashboard.records.experiments.models import Cell, Trial
from dashboard.records.sharing import actions
from dashboard.records.sharing.models import ShareLink
from dashboard.records.sharing.queries import experiment_of

View = TypeVar("View", bound=Callable[..., HttpResponse])
# Parts of the user agents of crawlers and previews, in lower case.
PROGRAMS = (
    "bot", "crawler", "spider", "preview", "facebookexternalhit", "facebookcatalog", "embedly", "iframely", "whatsapp",
    "slack-imgproxy", "skypeuri", "mattermost", "zulip", "mastodon", "pinterest", "vkshare", "snapchat", "curl/",
    "wget/", "python-requests", "python-httpx", "go-http-client",
)  # fmt: skip


def opened(counts: Literal["views", "embeds"] | None = None) -> Callable[[View], View]:
    """Find the link of a token, or show why it is not open. Search engines and other sites learn no address. `counts`:
    the counter of the link that the page increases."""

    def decorate(view: View) -> View:
        @needs("enter", "GET")
        @wraps(view)
        def wrapped(request: HttpRequest, token: str, **rest: str) -> HttpResponse:
            link = actions.find(token)
            if link and link.is_open:
                response = _shown(request, link, lambda: view(request, link, token, **rest))
                if counts and response.status_code in (200, 304):
                    count(request, link, counts)
            else:
                context = {"link": link, "shared": True}
                response = render(request, "sharing/gone.html", context, status=410 if link else 404)
            response["Referrer-Policy"] = "no-referrer"
            response["X-Robots-Tag"] = "noindex, nofollow"
            response["Cache-Control"] = "private, no-cache"
            return response

        return wrapped  # type: ignore[return-value]

    return decorate


def _may_be_a_reader(request: HttpRequest) -> bool:
    name = request.headers.get("User-Agent", "").lower()
    ahead = request.headers.get("Sec-Purpose", request.headers.get("Purpose", ""))
    return request.method == "GET" and "prefetch" not in ahead and not any(part in name for part in PROGRAMS)


def count(request: HttpRequest, link: ShareLink, what: Literal["views", "embeds"]) -> None:
    """The database adds, so two views at the same time count as two."""
    if _may_be_a_reader(request):
        ShareLink.objects.filter(pk=link.pk).update(**{what: F(what) + 1}, used_at=timezone.now())


def _shown(request: HttpRequest, link: ShareLink, render: Callable[[], HttpResponse]) -> HttpResponse:
    """A page for a logged-in user can hold messages, so it is not stored. A cookie without a login means a guest."""
    if request.user.is_authenticated:
        return render()
    as_guest(request, link)
    return kept(request, link, render)


@opened(counts="views")
def show(request: HttpRequest, link: ShareLink, token: str) -> HttpResponse:
    if link.comparison:
        return compare.compare_page(request, comparisons.seen(link, request.GET), token)
    return results.page(request, _experiment_id(link), token)


@opened()
def part(request: HttpRequest, link: ShareLink, token: str, key: str) -> HttpResponse:
    return results.part(request, _experiment_id(link), key, token)


@opened()
def chart(request: HttpRequest, link: ShareLink, token: str, key: str, form: str) -> HttpResponse:
    if link.experiment_id is None:
        return compare.compare_chart(comparisons.seen(link, request.GET), key, form, token)
    return results.chart(request, link.experiment_id, key, form, token)


@opened(counts="embeds")
def embed(request: HttpRequest, link: ShareLink, token: str, key: str) -> HttpResponse:
    """One chart that other sites may frame; 404 if the link does not allow embedding."""
    if not link.embeddable:
        raise Http404("This link was not made for embedding.")
    context = embedding.context(link, token, key, request.GET)

    @xframe_options_exempt
    @csp_replace({"frame-ancestors": ["*"]})
    def framed(request: HttpRequest) -> HttpResponseBase:
        return render(request, "sharing/embed.html", context)

    response = framed(request)
    assert isinstance(response, HttpResponse)
    return response


@opened()
def picture(request: HttpRequest, link: ShareLink, token: str) -> HttpResponse:
    """Speed against loss for messengers, as the link was shared. 404 where it has nothing to draw."""
    _experiment_id(link)
    drawn = preview.picture(experiment_of(link), token)
    if drawn is None:
        raise Http404("This result has no picture of speed against loss.")
    return HttpResponse(drawn, content_type="image/png")


@opened()
def cell(request: HttpRequest, link: ShareLink, token: str, cell_id: int) -> HttpResponse:
    _must_show(link, Cell, cell_id)
    return results.cell(request, cell_id, token)


@opened()
def cell_chart(request: HttpRequest, link: ShareLink, token: str, cell_id: int, key: str, form: str) -> HttpResponse:
    _must_show(link, Cell, cell_id)
    return results.cell_chart(request, cell_id, key, form, token)


@opened()
def trials(request: HttpRequest, link: ShareLink, token: str) -> HttpResponse:
    return crash.trials(request, _experiment_id(link), token)


@opened()
def trial(request: HttpRequest, link: ShareLink, token: str, trial_id: int) -> HttpResponse:
    _must_show(link, Trial, trial_id)
    return crash.trial(request, trial_id, token)


def _must_show(link: ShareLink, rows: type[Cell | Trial], pk: int) -> None:
    """A link opens only the cells and trials of its experiment."""
    if not rows.objects.filter(pk=pk, experiment=_experiment_id(link)).exists():
        raise Http404("This link does not include this page.")


def _experiment_id(link: ShareLink) -> int:
    """404 for a comparison: it opens no pages of its experiments."""
    if link.experiment_id is None:
        raise Http404("A shared comparison does not include this page.")
    return link.experiment_id
