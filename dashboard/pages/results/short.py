"""The short finding: a result in at most nine words, for its headline, previews and lists."""

import re
from html import unescape

from django.template.loader import render_to_string

from dashboard.findings.result.choice import Choice


def short_finding(choice: Choice) -> str:
    """As a text. Its words stand in the template."""
    made = unescape(render_to_string("results/_headline.html", {"choice": choice}))
    return re.sub("[ \n]+", " ", made).strip()
