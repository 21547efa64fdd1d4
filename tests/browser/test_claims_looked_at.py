"""The page of all claims with something measured, in light, in dark, on a phone, and by keyboard."""

import pytest
from django.test import Client

from dashboard.records.experiments import shelf
from tests.browser.test_every_page import look_at_all
from tests.unit.reproduction import asked
from workers.bench import recipes

PAGE = "/experiments/claims/"


@pytest.fixture
def client(transactional_db, django_user_model):
    client = Client()
    client.force_login(django_user_model.objects.create_superuser("admin", password="a long test password"))
    return client


@pytest.fixture
def measured(client, monkeypatch):
    measured, waiting = asked.recipe(*asked.EVERY, asked.BEYOND), asked.recipe(key="waiting", title="Who waits?")
    asked.experiment(measured, changed=["threads was changed"])
    known = {one.key: one for one in (measured, waiting)}
    monkeypatch.setattr(shelf, "shelf", lambda: recipes.Shelf(known))


def test_the_page_of_claims_is_read_everywhere_and_a_claim_is_one_key_away(page, live_server, client, measured):
    wrong = look_at_all(page, live_server, [PAGE], client)
    assert not wrong, "\n".join(wrong)
    rows_are_below_their_headings(page)
    link = page.locator(".claim-index a", has_text="G5")
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**#G5")
    assert page.locator("#G5").evaluate("title => title.getBoundingClientRect().top < innerHeight")


def rows_are_below_their_headings(page):
    page.set_viewport_size({"width": 1280, "height": 800})
    left = "cells => cells.map(cell => Math.round(cell.getBoundingClientRect().left))"
    table = page.locator("table.claims").first
    heads = table.locator("thead th").evaluate_all(left)
    assert len(set(heads)) == 5
    assert table.locator("tbody tr").first.locator("th, td").evaluate_all(left) == heads
