"""Static files as the web server gives them out."""

import pytest

from dashboard.installation.home import PROJECT

PATH = "/static/css/base.css"
WHOLE = (PROJECT / "static/css/base.css").read_bytes()


@pytest.fixture(autouse=True)
def as_the_product(settings):
    settings.WHITENOISE_AUTOREFRESH = False


def test_a_static_file_is_given_out_whole(client):
    answer = client.get(PATH)
    assert (answer.status_code, answer.getvalue()) == (200, WHOLE)
    assert answer["Content-Type"].startswith("text/css")
    assert answer["Content-Length"] == str(len(WHOLE))
    assert answer["X-Content-Type-Options"] == "nosniff"


@pytest.mark.django_db  # the end of a request looks at the connections
def test_a_file_that_the_browser_has_is_answered_with_304(client):
    known = client.get(PATH)
    answer = client.get(PATH, headers={"if-none-match": known["ETag"]})
    known.close()
    assert answer.status_code == 304 and answer.getvalue() == b""


@pytest.mark.parametrize("path", ["/static/../manage.py", "/static/css/", "/static/css/none.css", "/static/%2e%2e/x"])
@pytest.mark.django_db
def test_paths_outside_the_static_files_are_not_served(client, path):
    assert client.get(path).status_code in (302, 404)
