"""A DBA's first hour, in a real browser on a real stack: from an empty installation to a shared comparison.

The tests are steps of one journey and run in this order; each starts where the one before arrived.
"""

import csv
import io
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest
from playwright.sync_api import expect

from dashboard.installation.home import PROJECT
from tests import migrated
from tests.browser.folds import unfolded
from tests.browser.patience import patient
from tests.real.local_home import LIMIT_S, environment, eventually, part, parts_of
from workers.sandbox import builds
from workers.sandbox.server import Sandbox
from workers.servers import ask
from workers.servers.connection import connect

NAME, PASSWORD = "dba", "a-long-pass-for-a-journey"
OWN_VALUES = {"innodb_flush_log_at_trx_commit": "1", "sync_binlog": "0"}
FINDING = (
    r"At \d+ threads? (.* is .* times as fast as|are about equally fast|the measurements vary too much to tell|"
    r".* made .* per second|too few repeats).*"
)
COUNT_CLICKS = "addEventListener('click', () => (sessionStorage.clicks = 1 + Number(sessionStorage.clicks ?? 0)), true)"
PICTURE = b"\x89PNG\r\n"


@pytest.fixture(scope="module")
def root():
    """Below /var/tmp: on a disk nearly everywhere, and open to the sandboxes' unprivileged user."""
    folder = Path(tempfile.mkdtemp(prefix="dsj-", dir="/var/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@contextmanager
def up(home, env):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen([sys.executable, "manage.py", "up"], cwd=PROJECT, env=env, **pipes) as process:
        try:
            line = next(line for line in process.stdout if line.startswith("Durascope is at "))
            yield SimpleNamespace(home=home, url=line.split()[3].rstrip("/"))
            process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=LIMIT_S)[0]
        finally:
            process.kill()
    assert (process.returncode, said.endswith("Stopped.\n"), parts_of(home)) == (0, True, {}), said


@pytest.fixture(scope="module")
def stack(tmp_path_factory, root):
    home = tmp_path_factory.mktemp("home")
    if "DATABASE_URL" not in os.environ:
        migrated.sqlite(home / "durascope.sqlite3")  # test_demo.py starts without a database
    env = environment(home) | {"DURASCOPE_SANDBOXES": str(root / "worker")}
    admin = [sys.executable, "manage.py", "makeadmin", NAME, "--stdin"]
    with up(home, env) as stack:
        subprocess.run(admin, cwd=PROJECT, env=env, input=PASSWORD, text=True, check=True, stdout=subprocess.PIPE)
        yield stack


@pytest.fixture(scope="module")
def target(root):
    """A server that a DBA runs: not the product's own, as far as the product knows."""
    with Sandbox.create(root / "own", builds.find("system-mariadb"), {"log_bin": "ON"}, name="own") as server:
        yield server.target


@pytest.fixture(scope="module")
def cookies():
    """What the browser keeps from one step to the next."""
    return {}


@pytest.fixture
def page(page, context, stack, cookies):
    page.base = stack.url
    page.emulate_media(reduced_motion="no-preference")  # as most people see it
    context.add_cookies(cookies.get("jar", []))
    yield page
    cookies["jar"] = context.cookies()


@pytest.fixture(scope="module")
def found():
    """What one step finds and a later one needs."""
    return SimpleNamespace()


def go(page, path="/"):
    page.goto(page.base + path)


def press(page, words, within="main"):
    page.locator(within).get_by_role("button", name=words, exact=True).click()


def follow(page, words, within="main"):
    page.locator(within).get_by_role("link", name=words, exact=True).first.click()


def more(page, words):
    """In the menu of a result."""
    page.get_by_label("More to do with this result").click()
    follow(page, words)


def agree(page, words):
    page.get_by_role("dialog").get_by_role("button", name=words, exact=True).click()


def drawn(page, key):
    page.wait_for_function("key => document.querySelector(`[data-chart=${key}]`).chartView", arg=key)


def state(page):
    """What the live page is told, asked for without it; empty while the web server is away."""
    try:
        answer = page.request.get(re.sub(r"/(experiments|results)/(\d+)/.*", r"/experiments/\2/progress/", page.url))
        return answer.json() if answer.ok else {}
    except Exception:
        return {}


def until_over(page, limit_s=LIMIT_S):
    eventually(lambda: state(page).get("over"), limit_s, pause_s=0.5)
    return state(page)["state"]


def save_and_test(page, name, target, **changed):
    """Registers a server and waits for what the test of its connection found; gives the text of the checks."""
    go(page, "/servers/register/")
    known = {"host": target.host, "port": target.port, "user": target.user, "password": target.password}
    for field, value in ({"name": name} | known | changed).items():
        page.locator(f"main [name={field}]").fill(str(value))
    press(page, "Register and test")
    page.locator("ul.checks").wait_for()
    return page.locator("ul.checks").inner_text()


def start_plan(page, server, without=(), **values):
    """`without`: settings that are not measured. Those that hardly flush keep the processors busy."""
    go(page, "/experiments/new/")
    page.get_by_label(server, exact=True).check()
    for name in without:
        page.get_by_label(name).uncheck()
    page.locator(".plan-groups summary", has_text="Repeats").click()
    for name, value in values.items():
        page.locator(f"[name={name}]").fill(str(value))
    press(page, "Start")


def test_a_visitor_sees_no_page_before_the_login(page):
    go(page)
    page.get_by_label("Username").fill(NAME)
    page.get_by_label("Password").fill("not this one")
    press(page, "Log in")
    expect(page.locator("main")).to_contain_text("correct username and password")
    page.get_by_label("Password").fill(PASSWORD)
    press(page, "Log in")
    expect(page.get_by_role("heading", name="Try it on a sandbox")).to_be_visible()


def test_a_first_experiment_runs_three_clicks_after_the_login_at_most(page):
    page.add_init_script(COUNT_CLICKS)
    go(page)
    press(page, "Make a sandbox")
    expect(page.get_by_role("heading", name="New experiment")).to_be_visible()
    expect(page.get_by_label("Sandbox (sandbox)", exact=True)).to_be_checked()
    press(page, "Start")
    page.wait_for_url(re.compile(r"/experiments/\d+/$"))
    assert eventually(lambda: state(page).get("state") == "running", pause_s=0.5)
    assert int(page.evaluate("sessionStorage.clicks")) == 2
    press(page, "Stop experiment")
    agree(page, "Stop experiment")
    assert until_over(page) == "cancelled"
    expect(page.get_by_role("button", name="Resume")).to_be_visible()  # the page has loaded itself anew
    go(page)
    expect(page.get_by_role("heading", name="Start a prepared experiment")).to_be_visible()


def test_a_plan_starts_with_few_clicks_and_is_watched(page, stack, found, problems):
    go(page)
    follow(page, "New experiment")
    page.get_by_label("2/0").uncheck()
    page.locator(".plan-groups summary", has_text="Repeats").click()
    for name, value in {"threads": "1, 4", "repeats": "1", "warmup_s": "0", "measure_s": "2"}.items():
        page.locator(f"[name={name}]").fill(value)
    expect(page.locator("[data-plan-says]")).to_contain_text("4 measurements, about")
    press(page, "Start")
    found.experiment = page.url
    expect(page.locator("[data-live-threads]")).to_have_text(re.compile("1|4"))
    expect(page.locator("[data-live-tps]")).to_have_text(re.compile(r"\d"))
    assert page.locator("[data-live-plot] canvas").count() == 1
    page.reload()
    expect(page.locator("[data-live-variant]")).to_have_text(re.compile("1/1|0/0"))
    web = part(stack.home, "uvicorn")
    os.kill(web, signal.SIGKILL)
    assert eventually(lambda: (part(stack.home, "uvicorn") or web) != web)
    page.wait_for_url("**/results/*/")  # it came back by itself, and told of the end
    problems.clear()  # the connection that was cut


def test_the_result_opens_with_a_sentence_and_drawn_charts(page, found):
    page.goto(found.experiment)
    found.result = page.url
    assert re.match(FINDING, page.locator("p.finding").first.inner_text())
    expect(page.locator(".badges")).to_contain_text("all measurements done")
    figure = page.locator("figure[data-chart=throughput]")
    drawn(page, "throughput")
    assert page.locator("table.table-chart").bounding_box()["y"] < 500  # nobody scrolls to learn the answer
    figure.get_by_text("Table", exact=True).click()
    assert figure.get_by_role("row").count() == 5


def test_a_first_visit_asks_for_few_files(page, browser, found):
    """One style sheet, and at most 8 requests with an empty cache."""
    context = patient(browser.new_context())
    try:
        context.add_cookies(page.context.cookies())
        cold, asked = context.new_page(), []
        cold.on("request", lambda request: asked.append((request.resource_type, request.url)))
        cold.goto(found.result)
        drawn(cold, "throughput")
        assert [kind for kind, _ in asked].count("stylesheet") == 1 and len(asked) <= 8, asked
    finally:
        context.close()


def saved(page, press_it):
    with page.expect_download() as download:
        press_it()
    return Path(download.value.path()).read_bytes()


def test_figures_are_taken_away_as_csv_json_and_picture(page, found):
    page.goto(found.result)
    figure = page.locator("figure[data-chart=throughput]")
    figure.get_by_role("button", name="PNG").wait_for()
    rows = list(csv.reader(io.StringIO(saved(page, figure.get_by_role("link", name="CSV").click).decode("utf-8-sig"))))
    assert len(rows) == 5
    assert b'"series"' in saved(page, figure.get_by_role("link", name="JSON").click)
    assert saved(page, figure.get_by_role("button", name="PNG").click).startswith(PICTURE)


def test_an_experiment_is_exported_as_a_file_and_imported_again(page, found, tmp_path):
    page.goto(found.result)
    sentence = page.locator("p.finding").first.inner_text()
    file = tmp_path / "commits.zip"
    file.write_bytes(saved(page, lambda: more(page, "Export as a file")))
    go(page, "/experiments/")
    follow(page, "Import")
    page.get_by_label("File").set_input_files(file)
    press(page, "Import")
    main = page.locator("main")
    expect(main).to_contain_text("is imported.")
    expect(main).to_contain_text("Another installation measured it")
    assert page.locator("p.finding").first.inner_text() == sentence
    assert page.locator(".badge.imported").is_visible()
    drawn(page, "throughput")
    imported = page.url
    go(page, "/experiments/")
    follow(page, "Import")
    page.get_by_label("File").set_input_files(file)
    press(page, "Import")
    expect(main).to_contain_text("is here already")
    assert page.url == imported


def test_a_cell_shows_what_its_figures_rest_on(page, found):
    page.goto(found.result)
    unfolded(page.get_by_text("Measurements in order of execution"))
    page.get_by_role("region", name="Measurements").get_by_role("link").first.click()
    main = page.locator("main")
    expect(main).to_contain_text("Exact command")
    expect(main).to_contain_text("--report-interval=1")
    assert "--mysql-password" not in main.inner_text()
    drawn(page, "seconds")


def test_points_are_put_side_by_side(page, found):
    page.goto(found.result)
    more(page, "Compare with ...")
    press(page, "List its combinations")
    boxes = page.locator("main input[type=checkbox]")
    for nth in range(2):  # each waits until the page that lists them is there
        boxes.nth(nth).check()
    press(page, "Compare these points")
    expect(page.locator("main")).to_contain_text("ran in the same environment")
    assert page.get_by_role("region", name="Side by side").get_by_role("columnheader").count() == 3


def test_a_link_shows_it_to_others_until_it_is_revoked(page, browser, found):
    page.goto(found.result)
    press(page, "Share")
    follow(page, "All links of this result")
    press(page, "Create a link")
    address = page.locator("[data-copy] code").inner_text()
    other = patient(browser.new_context())
    try:
        guest = other.new_page()
        assert guest.goto(address).status == 200
        assert re.match(FINDING, guest.locator("p.finding").first.inner_text())
        assert "Sandbox" not in guest.content() and NAME not in guest.locator("header.site-header").inner_text()
        assert guest.locator("main a", has_text="Export").count() == 0
        page.reload() if page.locator("button", has_text="Revoke").count() == 0 else None
        press(page, "Revoke")
        agree(page, "Revoke")
        expect(page.locator("main")).to_contain_text("no longer works")
        assert guest.goto(address).status == 410
        assert guest.locator("p.finding").count() == 0
    finally:
        other.close()


def test_a_running_one_is_cancelled_at_once_and_resumed(page, found):
    load = {"threads": "1", "repeats": "3", "warmup_s": "0", "measure_s": "3"}
    start_plan(page, "Sandbox (sandbox)", without=("2/0", "0/0"), **load)
    expect(page.locator("[data-live-tps]")).to_have_text(re.compile(r"\d"))
    eventually(lambda: state(page).get("done"), pause_s=0.5)
    eventually(lambda: state(page).get("seconds"), pause_s=0.5)
    press(page, "Stop experiment")
    agree(page, "Stop experiment")
    assert until_over(page) == "cancelled"
    page.wait_for_url("**/results/*/")
    expect(page.locator(".badges")).to_contain_text(re.compile("[12] of 3 measurements done"))
    press(page, "Resume")
    assert until_over(page) == "done"
    page.wait_for_url("**/results/*/")
    expect(page.locator(".badges")).to_contain_text("all measurements done")


def test_a_wrong_password_is_told_apart_from_a_wrong_address(page, target):
    assert "does not accept" in save_and_test(page, "Locked", target, password="wrong")
    assert "Nothing listens" in save_and_test(page, "Nowhere", target, port=9)


def test_an_own_server_is_tested(page, target):
    checks = save_and_test(page, "Own <b>server</b> 'ö' \N{SNOWMAN}", target)
    assert "The server answers" in checks and "The server accepts writes" in checks
    main = page.locator("main")
    expect(main.get_by_role("heading", name="Durability report")).to_be_visible()
    expect(main).to_contain_text("power loss")
    assert target.password not in page.content()


def variables(target):
    with connect(target) as connection:
        settings = dict(ask.rows(connection, "SHOW GLOBAL VARIABLES"))
        schemas = {name for (name,) in ask.rows(connection, "SHOW DATABASES")}
    return {name: settings[name] for name in OWN_VALUES}, schemas


def test_load_leaves_an_own_server_as_it_was(page, target):
    before = variables(target)
    assert before[0] == OWN_VALUES
    start_plan(
        page, "Own <b>server</b> 'ö' \N{SNOWMAN} (attached)", threads="2", repeats="1", warmup_s="0", measure_s="1"
    )
    seen = [before]
    eventually(lambda: seen.append(variables(target)) or state(page).get("over"))
    assert any(settings["innodb_flush_log_at_trx_commit"] == "0" for settings, _ in seen)
    assert any(schema.startswith("durascope_") for _, schemas in seen for schema in schemas)
    assert until_over(page) == "done"
    assert variables(target) == before
