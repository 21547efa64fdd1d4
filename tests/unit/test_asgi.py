"""The web server's entry when things do not go well: pages that break, that are not there, and visitors who leave."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator

from dashboard.asgi import THREADS, Handler
from tests.unit import asgi_urls

pytestmark = pytest.mark.django_db(transaction=True)
LIMIT_S = 60


@pytest.fixture
def asked(settings) -> Callable[[str], ApplicationCommunicator]:
    """`asked(path)`: a request that was sent; call it inside of an event loop."""
    settings.ROOT_URLCONF = "tests.unit.asgi_urls"
    asgi_urls.went_on.clear()
    asgi_urls.entered.clear()
    asgi_urls.ended.clear()
    asgi_urls.used.clear()
    handler = Handler()
    yield lambda path: ApplicationCommunicator(handler, scope(path))
    asgi_urls.went_on.set()


def scope(path: str) -> dict[str, Any]:
    return {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET", "scheme": "http",
        "path": path, "raw_path": path.encode(), "query_string": b"", "headers": [(b"host", b"localhost")],
        "client": ("127.0.0.1", 1), "server": ("localhost", 80),
    }  # fmt: skip


async def answer(request: ApplicationCommunicator) -> tuple[int, bytes]:
    await request.send_input({"type": "http.request"})
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


@pytest.mark.parametrize(("path", "status"), [("/nowhere", 404), ("/broken", 500), ("/broken-async", 500)])
def test_a_page_that_breaks_or_is_not_there_is_told_and_the_next_one_is_answered(asked, path, status, caplog):
    async def both() -> list[tuple[int, bytes]]:
        return [await answer(asked(one)) for one in (path, "/threads")]

    (told, page), (next_status, _) = within(both)
    assert (told, next_status) == (status, 200)
    assert b"<h1>" in page and b"as it may happen" not in page
    assert ("as it may happen" in caplog.text) == (status == 500), "a page that breaks leaves its reason in the log"


def test_requests_at_once_run_in_threads_of_their_own(asked):
    """One that waits keeps nobody waiting."""

    async def meanwhile() -> tuple[int, bytes]:
        first = asked("/slow")
        await first.send_input({"type": "http.request"})
        await asyncio.to_thread(asgi_urls.entered.wait, LIMIT_S)
        second = await answer(asked("/threads"))
        assert not asgi_urls.ended
        asgi_urls.went_on.set()
        assert (await first.receive_output(LIMIT_S))["status"] == 200
        await first.receive_output(LIMIT_S)
        await first.wait(LIMIT_S)
        return second

    assert within(meanwhile)[0] == 200


def test_who_leaves_while_a_view_works_stops_nothing(asked):
    """The view goes on to its end in its thread, with its own connection, and the next one is answered."""

    async def leaves() -> tuple[int, bytes]:
        request = asked("/slow")
        await request.send_input({"type": "http.request"})
        await asyncio.to_thread(asgi_urls.entered.wait, LIMIT_S)
        await request.send_input({"type": "http.disconnect"})
        after = await answer(asked("/threads"))
        asgi_urls.went_on.set()
        await request.wait(LIMIT_S)
        return after

    assert within(leaves)[0] == 200
    assert asgi_urls.ended == ["slow, 0 people, closed: False"]


def test_a_stream_arrives_piece_by_piece_and_ends_with_its_reader(asked):
    async def reads() -> None:
        request = asked("/stream")
        await request.send_input({"type": "http.request"})
        assert (await request.receive_output(LIMIT_S))["status"] == 200
        assert (await request.receive_output(LIMIT_S))["body"] == b"data: 0\n\n"
        assert (await request.receive_output(LIMIT_S))["body"] == b"data: again\n\n"
        await request.send_input({"type": "http.disconnect"})
        with suppress(TimeoutError):
            await request.wait(LIMIT_S)

    within(reads)
    assert asgi_urls.ended == ["stream"]


def test_a_stream_keeps_no_connection_of_the_thread_that_began_it(asked):
    """Live pages are open for hours, and a pool of connections is small."""

    async def reads() -> None:
        request = asked("/stream")
        await request.send_input({"type": "http.request"})
        await request.receive_output(LIMIT_S)
        await request.receive_output(LIMIT_S)
        (began,) = asgi_urls.used
        assert began.connection is None
        await request.send_input({"type": "http.disconnect"})
        with suppress(TimeoutError):
            await request.wait(LIMIT_S)

    within(reads)


def test_a_stream_that_breaks_is_not_called_whole(asked):
    """Its reader gets what there was and no end; the next one is answered."""

    async def reads() -> tuple[int, bytes]:
        request = asked("/breaking-stream")
        await request.send_input({"type": "http.request"})
        assert (await request.receive_output(LIMIT_S))["status"] == 200
        assert await request.receive_output(LIMIT_S) == {
            "type": "http.response.body", "body": b"a part", "more_body": True,
        }  # fmt: skip
        with pytest.raises(RuntimeError, match="as it may happen"):
            await request.wait(LIMIT_S)
        assert request.output_queue.empty()
        return await answer(asked("/threads"))

    assert within(reads)[0] == 200
    assert asgi_urls.ended == ["breaking stream"]


def test_threads_stay_for_later_requests(asked):
    """Nothing of the one before is in it: its connection to the database was given back."""

    async def many() -> list[bytes]:
        return [(await answer(asked("/threads")))[1] for _ in range(2 * THREADS)]

    pages = [page.decode().split(" ", 1) for page in within(many)]
    assert len({thread for thread, _ in pages}) <= THREADS
    assert {rest for _, rest in pages} == {"0 connected before: False"}
