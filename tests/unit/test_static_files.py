"""Static files as the ASGI server gives them out. A warning is an error in every test."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator
from whitenoise.responders import StaticFile

from dashboard.asgi import application
from dashboard.home import PROJECT
from dashboard.static_files import StaticFiles

PATH = "/static/css/base.css"
WHOLE = (PROJECT / "static/css/base.css").read_bytes()


def ask(path, method="GET", **headers):
    """In a thread of its own: in this one, the browser of earlier tests may have a loop that runs."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(async_to_sync(answer), path, method, **headers).result()


async def answer(path, method, **headers):
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": sent}
    browser = ApplicationCommunicator(application, scope)
    await browser.send_input({"type": "http.request"})
    start, body = await browser.receive_output(60), b""
    while True:
        part = await browser.receive_output(60)
        body += part.get("body", b"")
        if not part.get("more_body"):
            await browser.wait(60)
            return start["status"], {name.decode().lower(): value.decode() for name, value in start["headers"]}, body


def test_it_gives_a_file_out_whole():
    status, headers, body = ask(PATH)
    assert (status, body) == (200, WHOLE)
    assert headers["content-type"].startswith("text/css")
    assert headers["content-length"] == str(len(WHOLE))
    assert headers["x-content-type-options"] == "nosniff"


def test_it_tells_of_a_file_without_its_contents():
    status, headers, body = ask(PATH, "HEAD")
    assert (status, headers["content-length"], body) == (200, str(len(WHOLE)), b"")


def test_what_the_browser_has_is_not_sent_again():
    _, headers, _ = ask(PATH)
    assert ask(PATH, if_none_match=headers["etag"])[::2] == (304, b"")


def test_it_gives_a_part_of_a_file():
    status, headers, body = ask(PATH, range="bytes=10-19")
    assert (status, body, headers["content-range"]) == (206, WHOLE[10:20], f"bytes 10-19/{len(WHOLE)}")


def test_a_file_that_was_updated_meanwhile_is_whole(tmp_path, rf):
    """An update of the code must not break the pages of the server that still runs."""
    page = tmp_path / "page.css"
    page.write_text("short")
    known = StaticFile(str(page), [("Content-Type", "text/css")])
    page.write_text("longer than before")
    response = StaticFiles.serve(known, rf.get("/static/page.css"))
    assert (response.content, response["Content-Length"]) == (b"longer than before", "18")


@pytest.mark.parametrize("path", ["/static/../manage.py", "/static/css/", "/static/css/none.css", "/static/%2e%2e/x"])
@pytest.mark.django_db
def test_nothing_else_is_given_out(client, path):
    assert client.get(path).status_code in (302, 404)
