"""The short finding: a result in at most nine words, for its headline, previews and lists."""

import re

from django.template.loader import render_to_string

from dashboard.findings.result.choice import Choice


def short_finding(choice: Choice) -> str:
    """The words stand in the template."""
    return re.sub("[ \n]+", " ", render_to_string("results/_headline.html", {"choice": choice})).strip()
