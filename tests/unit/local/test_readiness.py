"""A part is ready when the process that was started answers, not when anybody answers in its place."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from dashboard.local.programs import INSTANCE, web_answers

OURS = "0ddba11"


@contextmanager
def answering(status, headers):
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            for header in headers.items():
                self.send_header(*header)
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Answer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize("status", [200, 400])  # 400: this host name is none of DURASCOPE_HOSTS
def test_our_own_web_server_is_ready(status):
    with answering(status, {INSTANCE: OURS}) as port:
        assert web_answers("127.0.0.1", port, OURS)


@pytest.mark.parametrize(("status", "headers"), [(200, {INSTANCE: "another"}), (200, {}), (503, {INSTANCE: OURS})])
def test_another_web_server_or_one_without_its_database_is_not(status, headers):
    with answering(status, headers) as port:
        assert not web_answers("127.0.0.1", port, OURS)


def test_a_port_where_nobody_answers_is_not_ready():
    with answering(200, {}) as port:
        pass
    assert not web_answers("127.0.0.1", port, OURS)
