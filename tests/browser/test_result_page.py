"""A result page answers on its first screen, shows one number of threads everywhere, and says why commits were lost."""

import os
import re
from pathlib import Path

from playwright.sync_api import expect

from dashboard.records.experiments.models import TrialEvidence
from dashboard.records.sharing import actions as sharing
from tests.browser.folds import unfolded
from tests.browser.test_risk_chart import HELD, LEVELS, PLACED, keep, opened, result, risk  # noqa: F401 - fixtures
from tests.real.parts import until
from tests.unit.crash.recorded_states import state, story
from tests.unit.reproduction import asked
from tests.unit.results import trials

WHY = re.compile(
    r"sync_binlog=0: the binary log of .* was still in the page cache \(memory of the host\)\.\s+sync_binlog=1 "
)
PAIR = ("innodb_flush_log_at_trx_commit", "sync_binlog")


def spelled_out(experiment):
    """Its settings are what their names say."""
    for variant in experiment.plan["variants"]:
        variant["settings"] = dict(zip(PAIR, variant["name"].split("/"), strict=True))
    experiment.save()


TABLE = ("table.table-chart", "table.table-chart tr:last-child svg.losses")


def holds_the_answer(page, *pictures):
    """Headline, cost, how sure it is, and every setting with its speed and its losses at 1280x800."""
    page.set_viewport_size({"width": 1280, "height": 800})
    page.evaluate("scrollTo(0, 0)")
    parts = ("h1", ".sub", ".thin", *(pictures or TABLE))
    boxes = {one: page.locator(one).bounding_box() for one in parts}
    bottoms = {one: box["y"] + box["height"] for one, box in boxes.items()}
    assert all(bottom <= 800 for bottom in bottoms.values()), bottoms


def is_short(page):
    """At most 5 screens at 1280x800, and 8 of a phone."""
    for width, height, most in ((1280, 800, 5), (360, 780, 8)):
        page.set_viewport_size({"width": width, "height": height})
        found = page.evaluate("document.documentElement.scrollHeight")
        assert found <= most * height, (width, found)


def test_the_first_screen_holds_the_answer_and_its_cells_open_trials_and_evidence(opened, result):  # noqa: F811
    page = opened()
    holds_the_answer(page)
    is_short(page)
    spelled_out(result)
    page.set_viewport_size({"width": 1280, "height": 900})
    unfolded(page.locator("td.crash-cell.many a")).first.click()
    page.wait_for_url("**/trials/?**")
    assert page.locator("tbody tr").count() == 4
    keep(page, "trials")
    page.locator("tbody a").first.click()
    page.locator("svg.crash-bar").first.wait_for()
    assert page.locator("svg.crash-bar").count() >= 4
    steps = page.locator("table.steps tbody th").all_inner_texts()
    expect(page.locator("main")).to_contain_text(WHY)
    assert (steps[0], steps[-1]) == ("load by the clients", "server start and recovery"), "the crash has the room"
    load = page.locator("table.steps rect.load").bounding_box()["width"]
    assert load > page.locator("table.steps svg").first.bounding_box()["width"] / 2
    assert not page.get_by_text("prepare", exact=True).is_visible()
    page.get_by_text("not drawn:").click()
    assert page.get_by_text("prepare", exact=True).is_visible()
    assert page.locator("svg.crash-bar rect.lost").first.bounding_box()["width"] > 2
    keep(page, "trial")
    page.set_viewport_size({"width": 360, "height": 780})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    keep(page, "trial-phone")


def test_a_guest_finds_the_answer_on_the_first_screen_too(page, live_server, result, context):  # noqa: F811
    """With crash points, whose sentences and matrix take room."""
    spelled_out(result)
    made = trials.trial(result, result.plan["targets"][0]["server_id"], "1/1", "every-crash-point", 1, (0, 0))
    made.evidence.data["points"] = story(*(state(n / 20, redo=n * 4096) for n in range(36))).as_stored()
    made.evidence.save()
    context.clear_cookies()
    _, token = sharing.share(None, result)
    page.goto(f"{live_server.url}/share/{token}/")
    expect(page.locator("main")).to_contain_text("name replaced")
    holds_the_answer(page, "svg.speed-loss", ".speed-loss-plate .key")


def test_a_result_is_read_at_another_number_of_threads_copied_and_run_again(opened, result, context, live_server):  # noqa: F811
    spelled_out(result)
    claim = asked.HELD.as_dict()  # about 8 threads
    result.claims = {"title": "Who asks?", "changed": [], "variants": [], "workloads": [], "claims": [claim]}
    result.recipe = "asked"
    result.save()
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=live_server.url)
    page = opened()
    everything_is_at(page, "8 threads", not_at="1 thread")
    unfolded(page.locator("main select[name=threads]")).select_option(label="1 thread")
    page.get_by_role("button", name="Show", exact=True).click()
    everything_is_at(page, "1 thread", not_at="8 threads")
    is_copied_as_markdown(page)
    page.get_by_role("link", name="Run again", exact=True).click()
    expect(page.locator("main .lead")).to_contain_text("Change what should differ.")
    assert page.locator("[name=threads]").input_value() == "1, 8"
    ticked = page.locator("[name=variants]:checked").evaluate_all("boxes => boxes.map(box => box.value)")
    assert sorted(ticked) == sorted(LEVELS)


def everything_is_at(page, threads, not_at):
    """Sentence, picture and the claim about 8 threads; nothing else is said about another number."""
    expect(page.locator("p.finding").nth(1)).to_contain_text(f"At {threads} 0/0 is ")
    assert risk(page).evaluate("f => f.chartView.payload.title").endswith(f", {threads}")
    elsewhere = "This page shows 1 thread." in page.locator("table.claims").text_content()
    assert elsewhere == (threads == "1 thread")
    assert f"At {not_at}" not in page.locator("main").inner_text()


def is_copied_as_markdown(page):
    unfolded(page.get_by_role("button", name="Copy as Markdown", include_hidden=True)).click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert unfolded(page.locator("p.finding")).nth(1).inner_text() in copied and copied.endswith(f"\n{page.url}")
    assert not page.locator("#as-markdown").is_visible()


LOST = [(1162, 18000), (1400, 19000), (3630, 18500), (1250, 17000)]
KINDS = ("process-kill", "power-loss", "torn-power-loss", "data-disk-power-loss", "every-crash-point")


def test_texts_in_tables_of_figures_do_not_become_columns_of_single_words(opened, result):  # noqa: F811
    page = opened()
    page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
    name = page.get_by_role("cell", name="lying disk (self-test)")
    line = name.evaluate("one => parseFloat(getComputedStyle(one).lineHeight)")
    assert name.bounding_box()["height"] < 2 * line


def shared_on_a_phone(page, live_server, made):
    """Its recorded loads have 36 crash points each."""
    for one in TrialEvidence.objects.filter(trial__kind="every-crash-point"):
        one.data["points"] = story(*(state(n / 20, redo=n * 4096) for n in range(36))).as_stored()
        one.save()
    _, token = sharing.share(None, made)
    page.set_viewport_size({"width": 360, "height": 780})
    page.goto(f"{live_server.url}/share/{token}/")


def test_five_settings_with_six_recorded_loads_fit_eight_screens_of_a_phone(
    page, live_server, context, transactional_db
):
    """Four kinds of crash; of one kind each setting has an unclear trial."""
    crashes = dict.fromkeys(KINDS[1:4], LOST) | {"power-loss": [*LOST, None], "every-crash-point": [(35, 60)] * 2}
    held = dict.fromkeys(KINDS[1:4], HELD * 4) | {"every-crash-point": HELD * 2}
    made = trials.experiment({name: crashes if name != "1/1" else held for name in LEVELS}, levels=LEVELS)
    spelled_out(made)
    shared_on_a_phone(page, live_server, made)
    expect(page.locator(".crash-maps figure")).to_have_count(6)
    expect(page.locator(".crash-maps figure").first).to_be_hidden()
    risk(page)
    is_short(page)


def test_five_settings_and_five_kinds_of_crash_fit_eight_screens_of_a_phone(
    page, live_server, context, transactional_db
):
    """With long names of the settings, and losses in nearly every cell."""
    names = [f"{pair}, no doublewrite, O_DIRECT" for pair in LEVELS]
    rates = {name: dict.fromkeys(KINDS, LOST if nth else HELD * 4) for nth, name in enumerate(names)}
    made = trials.experiment(rates, levels=dict(zip(names, LEVELS.values(), strict=True)))
    for variant in made.plan["variants"]:
        pair = dict(zip(PAIR, variant["name"].partition(",")[0].split("/"), strict=True))
        variant["settings"] = {**pair, "innodb_doublewrite": "OFF", "innodb_flush_method": "O_DIRECT"}
    made.save()
    shared_on_a_phone(page, live_server, made)
    risk(page)
    if folder := os.environ.get("KEEP_SHOTS"):
        page.screenshot(path=Path(folder) / "many-settings-phone.png", full_page=True)
    is_short(page)
    until(lambda: page.evaluate("document.documentElement.scrollWidth <= innerWidth"))  # charts shrink a moment later
    labels = risk(page).evaluate(PLACED)
    assert all(cost < 1 for cost, _ in labels) and {text[:3] for _, text in labels} == set(LEVELS), labels
