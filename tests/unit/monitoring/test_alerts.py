"""The alerts and their unit tests, and that they ask only for figures that /metrics has."""

import re
import shutil
import subprocess
from collections import Counter

import pytest

from dashboard.installation.home import PROJECT
from dashboard.pages.monitoring.figures import FIGURES

FOLDER = PROJECT / "deploy/prometheus"
RULES = (FOLDER / "alerts.yml").read_text()
NAMES = re.findall(r"- alert: (\w+)", RULES)
needs_promtool = pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not here: package prometheus")


def promtool(*words):
    return subprocess.run(["promtool", *words], capture_output=True, text=True, check=False)


@needs_promtool
def test_the_alerts_fire_when_they_should_and_only_then():
    for words in (("check", "rules", "alerts.yml"), ("test", "rules", "alerts_test.yml")):
        done = promtool(*words[:-1], str(FOLDER / words[-1]))
        assert done.returncode == 0, done.stdout + done.stderr


@needs_promtool
def test_an_alert_that_does_not_fire_is_noticed(tmp_path):
    """The detector itself."""
    (tmp_path / "alerts.yml").write_text(RULES.replace("durascope_workers_alive == 0", "durascope_workers_alive == 7"))
    shutil.copy(FOLDER / "alerts_test.yml", tmp_path)
    done = promtool("test", "rules", str(tmp_path / "alerts_test.yml"))
    assert done.returncode and "DurascopeNoWorker" in done.stdout + done.stderr


def test_each_alert_is_tried_with_figures_at_which_it_fires_and_does_not():
    tried = re.findall(r"alertname: (\w+)\n.*\n +exp_alerts:( \[\])?", (FOLDER / "alerts_test.yml").read_text())
    assert Counter(tried) == Counter((name, calm) for name in NAMES for calm in ("", " []"))


def test_each_alert_says_what_to_do_and_asks_for_figures_that_exist():
    asked = set(re.findall(r"durascope_\w+", RULES))
    assert NAMES and asked <= FIGURES.keys()
    assert RULES.count("summary:") == RULES.count("description:") == len(NAMES)
