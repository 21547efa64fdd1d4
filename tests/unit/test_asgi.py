"""The web server's entry when things do not go well: pages that break, that are not there, and visitors who are slow or
leave."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from a2wsgi import WSGIMiddleware
from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from dashboard import urls
from dashboard.pages.accounts.gate import needs
from dashboard.pages.whole import Whole

pytestmark = pytest.mark.django_db(transaction=True)
LIMIT_S = 60
THREADS = 2
went_on, entered = threading.Event(), threading.Event()


@needs("enter")
def threads(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(threading.get_ident()))


@needs("enter")
def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("as it may happen")


@needs("enter")
def slow(request: HttpRequest) -> HttpResponse:
    entered.set()
    went_on.wait(LIMIT_S)
    return HttpResponse("slow")


@csrf_exempt
@needs("enter")
def length(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"{request.method} {len(request.body)}")


urlpatterns = [
    *urls.urlpatterns, path("threads", threads), path("broken", broken), path("slow", slow), path("length", length),
]  # fmt: skip


@pytest.fixture
def asked(settings) -> Callable[..., ApplicationCommunicator]:
    """`asked(path)`: a request whose head was sent; call it inside of an event loop."""
    settings.ROOT_URLCONF = __name__
    went_on.clear()
    entered.clear()
    handler = Whole(WSGIMiddleware(WSGIHandler(), THREADS))
    yield lambda path, method="GET": ApplicationCommunicator(handler, scope(path, method))
    went_on.set()


def scope(path: str, method: str) -> dict[str, Any]:
    return {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "headers": [(b"host", b"localhost")],
        "client": ("127.0.0.1", 1), "server": ("localhost", 80),
    }  # fmt: skip


async def answer(request: ApplicationCommunicator) -> tuple[int, bytes]:
    await request.send_input({"type": "http.request"})
    return await received(request)


async def received(request: ApplicationCommunicator) -> tuple[int, bytes]:
    start = await request.receive_output(LIMIT_S)
    body = b""
    while True:
        part = await request.receive_output(LIMIT_S)
        body += part.get("body", b"")
        if not part.get("more_body"):
            break
    await request.wait(LIMIT_S)
    return start["status"], body


def within(act: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """In a thread of its own: where browsers are tested, this one has their event loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(async_to_sync(act)).result()


@pytest.mark.parametrize(("path", "status"), [("/nowhere", 404), ("/broken", 500)])
def test_a_page_that_breaks_or_is_not_there_is_told_and_the_next_one_is_answered(asked, path, status, caplog):
    async def both() -> list[tuple[int, bytes]]:
        return [await answer(asked(one)) for one in (path, "/threads")]

    (told, page), (next_status, _) = within(both)
    assert (told, next_status) == (status, 200)
    assert b"<h1>" in page and b"as it may happen" not in page
    assert ("as it may happen" in caplog.text) == (status == 500), "a page that breaks leaves its reason in the log"


def test_requests_at_once_run_in_threads_of_their_own(asked):
    """One that waits keeps nobody waiting."""

    async def meanwhile() -> tuple[tuple[int, bytes], tuple[int, bytes]]:
        first = asked("/slow")
        await first.send_input({"type": "http.request"})
        await asyncio.to_thread(entered.wait, LIMIT_S)
        second = await answer(asked("/threads"))
        went_on.set()
        return await received(first), second

    assert [status for status, _ in within(meanwhile)] == [200, 200]


def test_visitors_who_are_slow_with_their_request_keep_no_thread(asked):
    async def many() -> tuple[tuple[int, bytes], tuple[int, bytes]]:
        late = [asked("/length", "POST") for _ in range(2 * THREADS)]
        for one in late:
            await one.send_input({"type": "http.request", "body": b"a part", "more_body": True})
        meanwhile = await answer(asked("/threads"))
        await late[0].send_input({"type": "http.request", "body": b" and the rest"})
        for one in late[1:]:
            await one.send_input({"type": "http.disconnect"})
            await one.wait(LIMIT_S)
            assert one.output_queue.empty()
        return meanwhile, await received(late[0])

    meanwhile, late = within(many)
    assert meanwhile[0] == 200 and late == (200, b"POST 19"), "without a content-length"


def test_a_visitor_who_leaves_does_not_stop_the_view(asked):
    async def leaves() -> tuple[int, bytes]:
        request = asked("/slow")
        await request.send_input({"type": "http.request"})
        await asyncio.to_thread(entered.wait, LIMIT_S)
        await request.send_input({"type": "http.disconnect"})
        after = await answer(asked("/threads"))
        went_on.set()
        await request.wait(LIMIT_S)
        return after

    assert within(leaves)[0] == 200


def test_threads_stay_for_later_requests(asked):
    async def many() -> set[bytes]:
        return {(await answer(asked("/threads")))[1] for _ in range(4 * THREADS)}

    assert len(within(many)) <= THREADS


@pytest.mark.parametrize(("size", "status"), [(1000, 200), (1001, 413)])
def test_a_request_that_is_too_large_is_refused(settings, size, status):
    """It comes in parts without a length: no header tells its size."""
    settings.ROOT_URLCONF = __name__
    handler = Whole(WSGIMiddleware(WSGIHandler(), THREADS), most=1000)

    async def sent() -> tuple[int, bytes]:
        request = ApplicationCommunicator(handler, scope("/length", "POST"))
        await request.send_input({"type": "http.request", "body": b"x" * 500, "more_body": True})
        await request.send_input({"type": "http.request", "body": b"x" * (size - 500)})
        return await received(request)

    told, body = within(sent)
    assert told == status and body.startswith(b"POST 1000" if status == 200 else b"The request is too large")
