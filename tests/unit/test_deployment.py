"""What a browser meets that is not logged in. (Django's own checks: test_deploy_files.py.)"""

import pytest


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
