"""Lines of the log: plain or JSON, what each is about, and no secret in them."""

import io
import json
import logging
import os
import re
import subprocess
import sys

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import path

from dashboard.installation import log_lines
from dashboard.installation.home import PROJECT
from dashboard.installation.log_lines import BadLog, JsonLine, LogLine, about, without_secrets
from dashboard.pages.accounts.gate import needs
from dashboard.pages.request_id import HEADER
from dashboard.urls import handler500  # noqa: F401 - Django takes it from the module of the addresses
from workers import celery

SECRET = "hush hush"


@needs("enter")
def broken(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("postgresql://maria:hushhush@db/durascope refused")


@needs("enter")
def sends(request: HttpRequest) -> HttpResponse:
    headers: dict[str, object] = {}
    celery.before_task_publish.send(sender="a task", headers=headers, body=None)
    return HttpResponse(headers[celery.CLICK])


urlpatterns = [path("broken", broken), path("sends", sends)]


def record(message="message", *arguments, failure=None):
    return logging.LogRecord("a.logger", logging.WARNING, __file__, 1, message, arguments, failure)


def as_json(*arguments, **known):
    line = JsonLine().format(record(*arguments, **known))
    assert "\n" not in line
    return json.loads(line)


@pytest.fixture(autouse=True)
def no_request_before() -> None:
    log_lines.start_anew()


@pytest.fixture
def written(monkeypatch):
    """What is written as JSON."""
    [console] = [one for one in logging.getLogger().handlers if isinstance(one.formatter, LogLine)]
    stream = io.StringIO()
    monkeypatch.setattr(console, "stream", stream)
    monkeypatch.setattr(console, "formatter", JsonLine())
    return lambda: [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_names_what_it_is_about():
    with about(experiment=7), about(trial=9):
        line = as_json("lost %d", 3)
        plain = LogLine("%(name)s%(about)s: %(message)s").format(record("lost %d", 3))
    assert (line["message"], line["experiment"], line["trial"]) == ("lost 3", 7, 9)
    assert plain == "a.logger experiment=7 trial=9: lost 3"
    assert "trial" not in as_json() and LogLine("%(name)s%(about)s").format(record()) == "a.logger"


def test_a_line_of_json_holds_time_level_logger_and_the_traceback():
    try:
        raise ValueError("two\nlines")
    except ValueError:
        line = as_json(failure=sys.exc_info())
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", line["time"])
    assert (line["level"], line["logger"]) == ("WARNING", "a.logger")
    assert line["exception"].startswith("Traceback") and line["exception"].endswith("ValueError: two\nlines")


@pytest.mark.parametrize("text", [
    f"CREATE USER u IDENTIFIED BY '{SECRET}'",
    f'ALTER USER u IDENTIFIED WITH mysql_native_password BY "{SECRET}"',
    f"CHANGE MASTER TO MASTER_USER='u', MASTER_PASSWORD='{SECRET}'",
    f"Target(host='db', password='{SECRET}', port=3306)",
    f'{{"password": "{SECRET}"}}',
    "redis://:hush%20hush@redis:6379/0",
    "postgresql://maria:hush@hush@db/name",
    "--password=hush",
    "token: hushhush",
])  # fmt: skip
def test_no_line_holds_a_secret(text):
    for failure in (None, (RuntimeError, RuntimeError(text), None)):
        told = json.dumps(as_json(text, failure=failure)) + LogLine("%(message)s").format(record(text, failure=failure))
        assert "hush" not in told and "***" in told


@pytest.mark.parametrize("text", [
    "experiment 7 ended", "The password of db1 was lost", "http://localhost:8000/experiments/7/",
    "token bucket", "a user@host:3306", "sync_binlog=1",
])  # fmt: skip
def test_text_without_secrets_is_unchanged(text):
    assert without_secrets(text) == text


@pytest.mark.django_db
@override_settings(ROOT_URLCONF="tests.unit.test_log_lines")
def test_a_page_that_fails_shows_the_id_that_its_lines_hold(client_in, written):
    browser = Client(raise_request_exception=False)
    browser.cookies = client_in.cookies
    answer = browser.get("/broken", headers={HEADER: "an id of the visitor"})
    assert answer.status_code == 500
    made = answer[HEADER]
    assert re.fullmatch("[0-9a-f]{16}", made)
    assert f"<code>{made}</code>" in answer.content.decode()
    [line] = [one for one in written() if "exception" in one]
    assert line["request"] == made and "hushhush" not in json.dumps(line)
    assert browser.get("/broken")[HEADER] != made


@pytest.mark.django_db
def test_the_line_of_a_page_that_is_not_there_holds_the_id_too(client_in, written):
    answer = client_in.get("/nowhere")
    assert [(one["request"], one["message"]) for one in written()] == [(answer[HEADER], "Not Found: /nowhere")]


def test_the_web_server_writes_json_and_no_access_log(tmp_path):
    """Its access log would hold the tokens of share links."""
    code = "import logging.config, uvicorn.config as u; logging.config.dictConfig(u.LOGGING_CONFIG)\n"
    code += "access = logging.getLogger('uvicorn.access'); access.handlers = []; access.propagate = False\n"
    code += "import dashboard.settings as s; logging.config.dictConfig(s.LOGGING)\n"
    code += (
        "assert not access.hasHandlers()  # as uvicorn asks\nlogging.getLogger('uvicorn.error').warning('it starts')"
    )
    environment = {**os.environ, "DURASCOPE_HOME": str(tmp_path), "DURASCOPE_LOG": "json"}
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, env=environment, capture_output=True, text=True)
    [line] = done.stderr.splitlines()
    assert json.loads(line)["message"] == "it starts"


@pytest.mark.django_db
@override_settings(ROOT_URLCONF="tests.unit.test_log_lines")
def test_a_task_carries_the_id_of_its_request(client_in):
    answer = client_in.get("/sends")
    assert answer.content.decode() == answer[HEADER]


def test_anything_but_plain_and_json_is_refused():
    assert log_lines.logging_settings({})["formatters"] == {"line": log_lines.FORMATTERS["plain"]}
    assert log_lines.logging_settings({log_lines.NAME: "json"})["formatters"] == {"line": log_lines.FORMATTERS["json"]}
    with pytest.raises(BadLog, match="Write plain or json"):
        log_lines.logging_settings({log_lines.NAME: "xml"})
