"""A shared result is read far more often than it changes. What one guest was shown is kept for a moment in this
process, for the next who asks for the same; who has it already is told so. The link is looked up each time all the
same: nothing is shown after its end."""

import gzip
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response, patch_vary_headers

from dashboard.sharing.models import ShareLink

KEPT_S = 60.0
WHILE_MEASURING_S = 5.0
MOST = 128
LOCKS = tuple(Lock() for _ in range(32))  # so that of many who ask for one page at once, one has it made


@dataclass(frozen=True)
class Page:
    until: float
    body: bytes
    packed: bytes
    headers: dict[str, str]


_pages: OrderedDict[Hashable, Page] = OrderedDict()
_changing = Lock()


def kept(request: HttpRequest, link: ShareLink, render: Callable[[], HttpResponse]) -> HttpResponse:
    """For a guest the page that is kept, or was made for all now. Somebody with a session may be shown messages."""
    if request.COOKIES.keys() & {settings.SESSION_COOKIE_NAME, "messages"}:
        return render()
    key = _key(request, link)
    with LOCKS[hash(key) % len(LOCKS)]:
        page = _find(key)
        if page is None:
            response = render()
            if response.status_code != 200 or response.cookies:
                return response
            page = _keep(key, response, KEPT_S if link.experiment.is_over else WHILE_MEASURING_S)
    return _answer(request, page)


def _key(request: HttpRequest, link: ShareLink) -> Hashable:
    """Whoever changes an experiment changes one of these; what lies deeper is seen a moment later."""
    one = link.experiment
    version = (one.name, one.state, one.ended_at, one.baseline, one.finding)
    return (link.token_hash, request.scheme, request.get_host(), request.META.get("QUERY_STRING", ""), version)


def _find(key: Hashable) -> Page | None:
    with _changing:
        page = _pages.get(key)
        if page is None or page.until < time.monotonic():
            return None
        _pages.move_to_end(key)
        return page


def _keep(key: Hashable, response: HttpResponse, for_s: float) -> Page:
    digest = hashlib.sha256(response.content).hexdigest()[:32]
    headers = {**response.headers, "ETag": f'W/"{digest}"'}
    page = Page(time.monotonic() + for_s, response.content, gzip.compress(response.content, 6), headers)
    with _changing:
        _pages[key] = page
        while len(_pages) > MOST:
            _pages.popitem(last=False)
    return page


def _answer(request: HttpRequest, page: Page) -> HttpResponse:
    takes_gzip = "gzip" in request.headers.get("Accept-Encoding", "")
    response = HttpResponse(page.packed if takes_gzip else page.body, headers=page.headers)
    if takes_gzip:
        response["Content-Encoding"] = "gzip"
    response["Content-Length"] = str(len(response.content))
    patch_vary_headers(response, ["Accept-Encoding"])
    return get_conditional_response(request, etag=page.headers["ETag"], response=response)
