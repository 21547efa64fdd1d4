"""Static files after `manage.py collectstatic`, as a browser asks for them."""

import os
import re
from urllib.parse import urljoin

import pytest
from django.core.management import call_command
from django.test import Client

from dashboard.pages.collected import is_fresh

HASHED = re.compile(r"/static/[\w./-]+\.[0-9a-f]{12}\.\w+")
LED_TO = re.compile(r"""(?:from|import)\s*\(?\s*["'](\.[^"']+)["']|url\(["']?([^"')]+)["']?\)""")


@pytest.fixture
def collected(settings, tmp_path):
    """Setting the folder makes a new storage, which reads what is there."""
    settings.WHITENOISE_AUTOREFRESH = False  # as the product
    settings.STATIC_ROOT = tmp_path
    call_command("collectstatic", interactive=False, verbosity=0)
    settings.STATIC_ROOT = str(tmp_path)
    return tmp_path


@pytest.mark.django_db
def test_pages_name_hashed_files_which_lead_to_hashed_files_only(collected):
    """Every address that the login page leads to, over modules and style sheets, is there, compressed and kept."""
    browser = Client()
    page = browser.get("/login/").text
    seen, left = set(), set(HASHED.findall(page))
    assert any(path.endswith(".js") for path in left) and any(path.endswith(".css") for path in left)
    assert not re.search(r'(?:src|href)="/static/[^"]*"', HASHED.sub("", page)), "every one of them is hashed"
    while left - seen:
        path = (left - seen).pop()
        seen.add(path)
        answer = browser.get(path, headers={"accept-encoding": "gzip"})
        assert answer.status_code == 200, path
        assert "immutable" in answer["Cache-Control"], path
        answer.close()
        left |= {resolved(path, to) for to in led_to(browser.get(path).getvalue())}
    assert 6 < len(seen) <= 12, seen


def led_to(body):
    found = LED_TO.findall(body.decode(errors="replace"))
    return [one or other for one, other in found if not (one or other).startswith(("data:", "#"))]


def resolved(path, to):
    assert re.search(r"\.[0-9a-f]{12}\.", to), f"{path} leads to {to}"
    return urljoin(path, to)


@pytest.mark.django_db
def test_a_manifest_older_than_the_program_is_not_used(collected, settings):
    manifest = collected / "staticfiles.json"
    os.utime(manifest, (1, 1))
    settings.STATIC_ROOT = collected
    page = Client().get("/login/").text
    assert "/static/css/" in page and not HASHED.search(page)


def test_freshness(tmp_path):
    manifest, source = tmp_path / "staticfiles.json", tmp_path / "static"
    source.mkdir()
    assert not is_fresh(manifest, source)
    (source / "a.css").touch()
    manifest.touch()
    for path in (source, source / "a.css"):
        os.utime(path, (10, 10))
    os.utime(manifest, (20, 20))
    assert is_fresh(manifest, source)
    os.utime(source / "a.css", (30, 30))
    assert not is_fresh(manifest, source)
