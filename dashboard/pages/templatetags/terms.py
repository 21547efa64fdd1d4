"""{% term "Fsyncs per commit" %}: the word with its explanation on hover and focus, else the word alone. Loaded in
every template."""

from functools import lru_cache

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dashboard.pages.help.terms import explained

register = template.Library()
ABBR = '<abbr class="term" tabindex="0" data-tip="{}" data-links="{}">{}</abbr>'


@register.simple_tag
def term(word: str, meant: str = "") -> SafeString:
    """`meant`: the key of the explanation, if the word has another meaning here."""
    return _told(str(word), str(meant or word))


@lru_cache(1024, typed=True)  # typed: a SafeString is not escaped, an equal str is
def _told(word: str, key: str) -> SafeString:
    """Cached: a page has a hundred terms, and they never change."""
    found, word = explained(key), type(word)(word.replace(" %", "\N{NO-BREAK SPACE}%"))
    if found is None:
        return format_html("{}", word)
    links = " ".join(f"{whose} {address}" for whose, address in found.manuals.items())
    return format_html(ABBR, found.says, links, word)
