"""The page of builds: all that there are, where they are installed, how to get them, what they are for."""

import html
import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from dashboard.records.fleet.models import Worker
from dashboard.records.servers import builds
from dashboard.records.servers.models import Server
from tests.markup import flat
from workers.sandbox.builds.catalogue import CATALOGUE

TOLD = {"title": "MySQL 5.6.14 (2013)", "flavour": "mysql", "version": "5.6.14", "size_mib": 86}
OURS = {"title": "MySQL 8.0.36, ours <b>", "flavour": "mysql", "version": "8.0.36", "size_mib": 700}


@pytest.fixture(autouse=True)
def empty_store(tmp_path, monkeypatch):
    """What is installed where the pages are made is not asked: only workers run builds."""
    monkeypatch.setenv("DURASCOPE_BUILDS", str(tmp_path))


def works(host="lab", pid=1, **told):
    return Worker.objects.create(host=host, pid=pid, abilities={"builds": told})


def page(client):
    answer = client.get("/workers/builds/")
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def entry(shown, key):
    """What the page says of one build."""
    return re.search(rf'<li id="{re.escape(key)}">.*?\n</li>', shown, re.DOTALL)[0]


def test_the_page_shows_the_whole_catalogue_and_how_to_get_each(client_in):
    shown = page(client_in)
    for key, build in CATALOGUE.items():
        said = entry(shown, key)
        assert build.title in said and build.purpose in said and str(build.year) in said
        assert f"manage.py build install {key}<" in said and f"{build.download_mib}\N{NO-BREAK SPACE}MiB" in said
        assert "GPL-2.0" in said and str(build.source) in said
        assert "://" not in said, "no host's address"


def test_without_a_worker_nothing_is_said_to_be_installed_or_not(client_in):
    shown = page(client_in)
    assert "No worker is alive" in shown and "no worker to ask" in entry(shown, "mysql-5.6.14")
    assert "badge passed" not in shown and "not installed" not in shown and "Run this command" not in shown


def test_the_page_names_the_hosts_where_a_build_is_installed(client_in):
    works(**{"mysql-5.6.14": TOLD})
    works(pid=2, **{"mysql-5.6.14": TOLD})  # two workers of one host
    shown = page(client_in)
    said = entry(shown, "mysql-5.6.14")
    assert "badge passed" in said and said.count("<b>lab</b>") == 1 and "version 5.6.14" in said
    assert "not installed" in entry(shown, "mysql-5.5.9")
    absent = re.search(r"manage.py build install ((?:\S+ )+\S+)</code>", shown)[1].split()
    assert set(absent) == CATALOGUE.keys() - {"mysql-5.6.14"}


def test_hosts_with_different_versions_are_told_apart(client_in):
    works(**{"mysql-9.7": TOLD | {"version": "9.7.4"}})
    works("other", **{"mysql-9.7": TOLD | {"version": "9.7.5"}})
    assert "<b>lab</b> (9.7.4), <b>other</b> (9.7.5)" in flat(entry(page(client_in), "mysql-9.7"))


def test_a_build_that_would_not_start_says_why(client_in):
    works(**{"mysql-5.6.14": TOLD})
    works("other", **{"mysql-5.6.14": TOLD | {"missing": "Huge pages are always on."}})
    assert "<b>other</b>: Huge pages are always on." in entry(page(client_in), "mysql-5.6.14")


def test_dead_workers_have_nothing(client_in):
    gone = works(**{"mysql-5.6.14": TOLD})
    Worker.objects.filter(pk=gone.pk).update(ended_at=gone.beat_at)
    assert "badge passed" not in page(client_in)


def test_workers_of_other_versions_are_shown_too(client_in):
    """Older ones may say less of a build, newer ones more than is known here."""
    Worker.objects.create(host="old", pid=1, abilities={"builds": {"mysql-5.6.14": {}}})
    Worker.objects.create(host="new", pid=1, abilities={"builds": {"mysql-5.6.14": TOLD | {"speed": 1}}})
    Worker.objects.create(host="mute", pid=1, abilities={})
    said = flat(entry(page(client_in), "mysql-5.6.14"))
    assert "<b>new</b> (5.6.14), <b>old</b>" in said and "mute" not in said


def test_a_build_of_ones_own_on_another_host_is_shown_but_cannot_be_chosen_here(client_in):
    works(ours=OURS)
    shown = client_in.get("/workers/builds/").content.decode()
    assert "MySQL 8.0.36, ours &lt;b&gt;" in shown and "build=ours" not in shown
    assert "manage.py build add ours --basedir PATH" in shown


def test_the_page_links_recipes_sandboxes_and_the_form_of_a_sandbox(client_in):
    works(**{"mysql-5.6.14": TOLD})
    box = Server.objects.create(name="my box", kind="sandbox", build="mysql-5.6.14")
    said = entry(page(client_in), "mysql-5.6.14")
    for to in ("/experiments/new/fifteen-years/", f"/servers/{box.pk}/", "/servers/register/?kind=sandbox&build=mysql"):
        assert f'href="{to}' in said
    assert "/experiments/new/rows-per-transaction/" not in said
    form = client_in.get("/servers/register/?kind=sandbox&build=mysql-5.6.14").content.decode()
    assert '<option value="mysql-5.6.14" selected>' in form and 'value="mysql-5.6.14"' in form


def test_a_viewer_sees_no_links_to_forms(db):
    works(**{"mysql-5.6.14": TOLD})
    client = Client()
    client.force_login(User.objects.create_user("viewer", password="a long test password"))
    shown = page(client)
    assert "/servers/register/" not in shown and "/experiments/new/" not in shown
    assert "Fifteen years" in entry(shown, "mysql-5.6.14")


def test_each_is_in_one_group_by_year(db):
    groups = builds.grouped(builds.lines([]))
    shown = [line.key for lines in groups.values() for line in lines]
    assert len(shown) == len(set(shown)) and set(CATALOGUE) <= set(shown)
    for lines in groups.values():
        years = [line.origin.year for line in lines if line.origin.in_catalogue]
        assert years == sorted(years)
    keys = {title: [line.key for line in lines] for title, lines in groups.items()}
    assert keys["MySQL"][0] == "mysql-5.5.9" and keys["MariaDB"][-1] == "system-mariadb"
    assert "mariadb-10.11" in keys["With another engine beside InnoDB"]


def test_a_complete_host_is_asked_for_nothing(db):
    worker = Worker(host="lab", abilities={"builds": dict.fromkeys(CATALOGUE, TOLD)})
    assert builds.missing(builds.lines([worker])) is None
    some = builds.missing(builds.lines([Worker(host="lab", abilities={"builds": {"mysql-5.6.14": TOLD}})]))
    assert some.n == len(CATALOGUE) - 1
    assert some.size_mib == sum(e.size_mib for e in CATALOGUE.values()) - CATALOGUE["mysql-5.6.14"].size_mib


def test_the_page_needs_no_more_queries_for_many_builds(client_in, django_assert_max_num_queries):
    for n in range(20):
        works(f"host{n}", **{"mysql-5.6.14": TOLD})
        Server.objects.create(name=f"box {n}", kind="sandbox", build="mysql-5.6.14")
    with django_assert_max_num_queries(6):
        page(client_in)
