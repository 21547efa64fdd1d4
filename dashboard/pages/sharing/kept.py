"""Cache of shared pages in this process. Each request still looks up the link, so a closed link shows nothing. A cache
in the proxy could not do that. A stored page costs 3.5 ms of CPU time instead of 50 to 62 ms (docs/research/speed.md).

Guests can make this process render a limited number of pages; above it an older copy is shown. Stored pages have no
limit. One guest must not use up the limit of others. So a link has a multiple of the limit of an address, and pages
without a query, which most guests want, are counted separately and per address only."""

import gzip
import hashlib
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from threading import Lock

from django.core.cache import caches
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render as rendered
from django.utils.cache import get_conditional_response, patch_vary_headers

from dashboard.pages.accounts.signals import address
from dashboard.pages.accounts.throttle import network
from dashboard.pages.sharing.comparisons import still_there
from dashboard.records.plan_outline import PlanOutline
from dashboard.records.sharing.models import ShareLink
from dashboard.records.sharing.queries import outline_of

KEPT_S = 60.0
WHILE_MEASURING_S = 5.0
MARKS = ("_csp_", "xframe_options_exempt")
LOCKS = tuple(Lock() for _ in range(32))  # parallel requests for one page render it once
A_MINUTE = 120  # pages per address: a result with its charts is about ten, each costs up to 0.2 s
OF_A_LINK = 5  # times the limit of an address
clock = time.monotonic
# Query parameters that a guest may send. Unknown names and impossible values are dropped first, so that an invented
# query gives the same stored page.
PLACE = re.compile(r"[0-9]{1,4}")
WORD = re.compile(r"[a-z][a-z0-9_-]{0,39}")
KNOWN: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(("workload", "baseline", "server", "threads", "mine", "variant", "page"), PLACE),
    **dict.fromkeys(("crash", "lost", "figure", "by", "scale", "theme"), WORD),
    "hide": re.compile(r"(?:[0-9]{1,3}(?:,[0-9]{1,3}){0,15})?"),
}


@dataclass(frozen=True)
class Page:
    until: float
    body: bytes
    packed: bytes
    headers: dict[str, str]
    marks: dict[str, object]  # set by decorators for middleware: content security policy, framing


def kept(request: HttpRequest, link: ShareLink, render: Callable[[], HttpResponse]) -> HttpResponse:
    """The stored page, or one rendered for all guests now. `as_guest` must have reduced the request."""
    key, pages = _key(request, link), caches["shared-queries" if request.GET else "shared-pages"]
    with LOCKS[hash(key) % len(LOCKS)]:
        page: Page | None = pages.get(key)  # possibly expired
        if page is None or page.until < time.monotonic():
            if not may_make(link.pk, address(request), has_query=bool(request.GET)):
                return _answer(request, page) if page else _busy(request)
            response = render()
            if response.status_code != 200 or response.cookies:
                return response
            page = _page(response, KEPT_S if _is_over(link) else WHILE_MEASURING_S)
            pages.set(key, page)
    return _answer(request, page)


def may_make(link_id: int, address: str, *, has_query: bool) -> bool:
    """`address`: "" if unknown; then only the link counts."""
    kind = "query" if has_query else "plain"
    if address and not _counted(f"{kind}-address-{network(address)}", A_MINUTE):
        return False
    return not (has_query or not address) or _counted(f"{kind}-link-{link_id}", OF_A_LINK * A_MINUTE)


def _counted(key: str, most: int) -> bool:
    """Count a page; whether it is within the limit of this minute."""
    counts, key = caches["guests"], f"{key}-{clock() // 60:.0f}"
    counts.add(key, 0, timeout=120)
    return counts.incr(key) <= most


def as_guest(request: HttpRequest, link: ShareLink) -> None:
    """Remove unknown parts of the query, and cookies: a message for one user must not be stored for all."""
    request.GET = _known(request.GET)  # type: ignore[assignment]  # two classes in the stubs, one at run time
    if request.GET and link.experiment_id:
        request.GET = _within(outline_of(link), request.GET)  # type: ignore[assignment]
    request.COOKIES = {}


def _known(query: QueryDict) -> QueryDict:
    """Sorted, each name once."""
    kept = QueryDict(mutable=True)
    for name, pattern in sorted(KNOWN.items()):
        if (value := query.get(name)) is not None and pattern.fullmatch(value):
            kept[name] = value
    return QueryDict(kept.urlencode(safe=","))


def _within(plan: PlanOutline, query: QueryDict) -> QueryDict:
    """Without indexes that the plan does not have: pages ignore these."""
    ends = {"workload": len(plan.workloads), "server": len(plan.targets), "threads": len(plan.threads)}
    ends |= dict.fromkeys(("baseline", "mine", "variant"), len(plan.variants))
    kept = query.copy()
    for name, end in ends.items():
        if int(kept.get(name, 0)) >= end:
            del kept[name]
    return QueryDict(kept.urlencode(safe=","))


def _is_over(link: ShareLink) -> bool:
    """False for a comparison, which has many experiments: it is rendered as often as a running experiment."""
    return bool(link.experiment and link.experiment.is_over)


def _key(request: HttpRequest, link: ShareLink) -> str:
    """Most changes of an experiment change its version here; other changes appear when the page expires."""
    one = link.experiment
    version = (one.name, one.state, one.ended_at, one.baseline, one.finding) if one else still_there(link)
    asked = (request.path, request.scheme, request.get_host(), request.GET.urlencode(), version)
    return hashlib.sha256(repr(asked).encode()).hexdigest()


def _busy(request: HttpRequest) -> HttpResponse:
    response = rendered(request, "sharing/busy.html", {"shared": True}, status=429)
    response["Retry-After"] = "60"
    return response


def _page(response: HttpResponse, for_s: float) -> Page:
    digest = hashlib.sha256(response.content).hexdigest()[:32]
    headers = {**response.headers, "ETag": f'W/"{digest}"'}
    marks = {name: value for name, value in vars(response).items() if name.startswith(MARKS)}
    return Page(time.monotonic() + for_s, response.content, gzip.compress(response.content, 6), headers, marks)


def _answer(request: HttpRequest, page: Page) -> HttpResponse:
    takes_gzip = "gzip" in request.headers.get("Accept-Encoding", "")
    response = HttpResponse(page.packed if takes_gzip else page.body, headers=page.headers)
    vars(response).update(page.marks)
    if takes_gzip:
        response["Content-Encoding"] = "gzip"
    response["Content-Length"] = str(len(response.content))
    patch_vary_headers(response, ["Accept-Encoding"])
    return get_conditional_response(request, etag=page.headers["ETag"], response=response) or response
