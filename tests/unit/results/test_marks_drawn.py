"""What the marks of a result look like: escaped names, tips, bins, trials without a number, several servers."""

import re

import pytest

from dashboard.charts.marks.table_chart import MOST_MARKS
from dashboard.pages.templatetags.marks import NO_NUMBER, short
from tests.markup import flat
from tests.unit.results import factory, recorded_trials, trials

pytestmark = pytest.mark.django_db
KIND = "power-loss"


def shown(client_in, one, **query):
    return flat(client_in.get(f"/results/{one.pk}/", query).text)


def test_a_name_of_a_setting_is_never_markup(client_in):
    html = shown(client_in, trials.experiment({'1/1 <b>"x"</b>': {KIND: [(0, 0)]}}, levels={'1/1 <b>"x"</b>': 1000.0}))
    assert "<b>&quot;x" not in html and '<b>"x"' not in html
    assert 'aria-label="1 power loss of 1/1 &lt;b&gt;&quot;x&quot;&lt;/b&gt;"' in html


def test_the_tip_of_a_mark_says_what_each_log_lost(client_in):
    html = shown(client_in, trials.experiment({"0/0": {KIND: [(1897, 0)]}}, levels={"0/0": 1000.0}))
    assert 'aria-label="One crash, lost of 22,000 commits: InnoDB 1,897, binary log none" data-tip' in html


def test_a_trial_without_a_verdict_stands_where_no_number_does_and_is_explained(client_in):
    html = shown(client_in, trials.experiment({"0/0": {KIND: [(100, 200), None]}}, levels={"0/0": 1000.0}))
    assert f'<use href="#m-unclear" x="{NO_NUMBER}%"' in html and "unclear, no number" in html
    assert "unclear, no number" not in shown(client_in, trials.experiment())


def test_what_a_replica_lost_has_a_sign_of_its_own(client_in):
    one = trials.experiment({"0/0": {"primary-power-loss": [(100, 0)]}}, levels={"0/0": 1000.0})
    replica = re.compile(r'<use href="#m-replica-lost" x="6" y="6" /></svg>replica')
    assert not replica.search(shown(client_in, one))
    one.trials.update(lost_replica=37)
    html = shown(client_in, one)
    assert replica.search(html) and "binary log none, replica 37" in html


def test_more_trials_than_marks_are_counted_by_place(client_in):
    rates = {"0/0": {KIND: [(100, 200)] * (MOST_MARKS + 1)}}
    html = shown(client_in, trials.experiment(rates, levels={"0/0": 1000.0}))
    drawn = re.search(r'<svg class="losses".*?</svg></td>', html)
    counted = re.findall(r"<title>([\d,]+) crashes</title>", html)
    assert counted == [str(MOST_MARKS + 1)] * 2 and 'role="img"' in html and "/results/trials/" not in str(drawn)


def test_settings_of_several_servers_have_rows_of_their_own(client_in):
    servers = [factory.server("alpha"), factory.server("beta <i>", host="b")]
    html = shown(client_in, trials.experiment(servers=servers))
    assert re.findall(r'class="name">([^<]+)</a>', html)[0] == "1/1, alpha" and "2/0, beta &lt;i&gt;" in html
    assert html.count("<tr data-setting=") == 6


def test_a_setting_with_recorded_loads_only_was_tried(client_in):
    html = shown(client_in, recorded_trials.loads(recorded_trials.GOOD, recorded_trials.BAD))
    row = html[html.index('<td class="losses">') :].partition("</td>")[0]
    assert "moments of loads, below" in row and "not tried" not in row
    assert "Moments of one load. They open its trial." in html


@pytest.mark.parametrize(
    ("value", "told"), [(0, "0"), (100, "100"), (5600, "5.6k"), (12000, "12k"), (999.7, "1k"), (1.2e6, "1.2M")]
)
def test_a_number_on_an_axis_is_short(value, told):
    assert short(value) == told
