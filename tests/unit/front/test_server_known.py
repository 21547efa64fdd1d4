"""A server's own page: what was measured on it, its newest experiments, and the way to the next one."""

import pytest
from django.urls import reverse

from dashboard.pages.servers.views import EXPERIMENTS
from dashboard.records.servers.models import Server
from tests.markup import flat
from tests.unit.front.test_front_page import measured
from tests.unit.results import factory, trials
from workers.sandbox import builds

pytestmark = pytest.mark.django_db


def page(client, server):
    return flat(client.get(reverse("servers:detail", args=[server.pk])).text)


def test_a_servers_page_says_the_same_as_the_first_page(client_in):
    server, other = factory.server("db1"), factory.server("db2")
    measured(server)
    assert "times as fast as 1/1" in page(client_in, server)
    assert page(client_in, other).count("not measured") == 2
    made = trials.experiment({"1/1": {"power-loss": [(5, 5)]}})
    tried = Server.objects.get(pk=made.plan["targets"][0]["server_id"])
    assert "commits lost in 1 of 1" in page(client_in, tried)


def test_a_servers_page_lists_its_newest_experiments_only(client_in):
    server = factory.server("db1")
    made = [factory.experiment(servers=[server], measured=0) for _ in range(EXPERIMENTS + 1)]
    html = page(client_in, server)
    assert [reverse("experiments:show", args=[one.pk]) in html for one in made] == [False] + [True] * EXPERIMENTS
    assert f'href="{reverse("experiments:list")}?server={server.pk}"' in html
    assert "All experiments on" not in page(client_in, factory.server("db2"))


def test_a_sandbox_tells_what_it_is_made_of(client_in):
    sandbox = Server.objects.create(name="Sandbox", kind="sandbox", build="mysql-5.5.9")
    html = page(client_in, sandbox)
    assert f'href="{reverse("fleet:builds")}#mysql-5.5.9">{builds.every()["mysql-5.5.9"].title}</a>' in html
    own = Server.objects.create(name="Own", kind="sandbox", build="mine-1")
    assert "<dt>Build</dt><dd><code>mine-1</code></dd>" in page(client_in, own)


def test_the_next_experiment_on_it_begins_there(client_in):
    server = factory.server("db1")
    factory.server("db2")
    new = f"{reverse('experiments:new')}?server={server.pk}"
    assert f'href="{new}"' in page(client_in, server)
    response = client_in.get(new)
    assert response.context["form"].initial["servers"] == [server.pk]
    recipe = reverse("experiments:new-from", args=["group-commit"])
    assert f'href="{recipe}?server={server.pk}"' in response.text
    for wrong in ("", "x", "999999", "٣"):
        form = client_in.get(reverse("experiments:new"), {"server": wrong}).context["form"]
        assert form.initial["servers"] == [], wrong


def test_links_of_a_servers_page_hold_a_number_without_separators(client_in):
    Server.objects.filter(pk=factory.server("far on").pk).update(id=1530)
    page = client_in.get("/servers/1530/").content.decode()
    assert "?server=1530" in page and "1,530" not in page
