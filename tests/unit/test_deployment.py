"""What a browser that is not logged in and Django's own checks say about an installation behind HTTPS."""

import os
import re
import subprocess
import sys

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from dashboard.installation.home import PROJECT
from tests.walks import report, undone


def test_the_deployment_check_is_clean_behind_https():
    argv = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    env = {**os.environ, "DURASCOPE_HTTPS": "1", "DJANGO_SETTINGS_MODULE": "dashboard.settings"}
    env.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)  # set by the browser tests for themselves
    done = subprocess.run(argv, cwd=PROJECT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.django_db
def test_a_foreign_host_name_is_refused(client):
    assert client.get("/login/", headers={"host": "evil.example"}).status_code == 400


@pytest.mark.django_db
def test_login_leads_to_no_foreign_site(client, admin):
    form = {"login": "admin", "password": "a long test password"}
    answer = client.post("/login/?next=https://evil.example/", form)
    assert answer.status_code == 302 and answer.url == "/"


@pytest.mark.django_db
def test_pages_are_not_framed_and_run_no_inline_script(client):
    headers = client.get("/login/").headers
    assert headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]


def addresses(patterns, prefix="/"):
    """Every address of the product, with numbers and words filled in."""
    for one in patterns:
        path = prefix + re.sub(r"<(?:int|slug|str|token):\w+>", "1", str(one.pattern))
        if isinstance(one, URLResolver):
            yield from addresses(one.url_patterns, path)
        elif isinstance(one, URLPattern):
            yield path


@pytest.mark.django_db
def test_every_post_needs_a_csrf_token(admin):
    """The API does not look at the session at all: for it, who is logged in is nobody."""
    offenders = []
    for path in sorted(set(addresses(get_resolver().url_patterns))):
        with undone():
            strict = Client(enforce_csrf_checks=True)
            strict.force_login(admin)
            status = strict.post(path.replace(".1", ".csv")).status_code
        if status not in ((401, 405) if path.startswith("/api/v1/") else (403, 404)):
            offenders.append(f"{path}: {status}")
    report(offenders)
