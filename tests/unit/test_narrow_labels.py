"""On a narrow screen a cell has its column's heading as a label."""

import re
from html import unescape
from textwrap import wrap

from dashboard.installation.home import PROJECT
from tests.walks import report

HEADING = re.compile(r'<th scope="col"[^>]*>(.*?)</th>', re.DOTALL)
MARKUP = re.compile(r'<[^>]*>|\{% term "([^"]*)".*?%\}')
LABEL = re.compile(r'data-label="([^"{]+)"')


def test_labels_of_narrow_screens_are_headings():
    offenders = []
    for path in sorted((PROJECT / "templates").rglob("*.html")):
        text = unescape(path.read_text())
        headings = {" ".join(MARKUP.sub(r"\1", heading).split()) for heading in HEADING.findall(text)}
        wrong = (label for label in LABEL.findall(text) if " ".join(label.split()) not in headings)
        offenders += [f"{path.relative_to(PROJECT)}: {label}" for label in wrong]
    report(offenders)


def test_labels_of_narrow_screens_fit_two_lines():
    """A line of 6.5rem has room for 15 letters."""
    offenders = []
    for path in sorted((PROJECT / "templates").rglob("*.html")):
        labels = (" ".join(unescape(label).split()) for label in LABEL.findall(path.read_text()))
        offenders += [f"{path.relative_to(PROJECT)}: {label}" for label in labels if len(wrap(label, 15)) > 2]
    report(offenders)
