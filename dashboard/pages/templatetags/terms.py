"""{% term "Fsyncs per commit" %}: the word with its explanation on hover and focus, the plain word where there is none.
Loaded in every template."""

from functools import lru_cache

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dashboard.pages.help.terms import explained

register = template.Library()
ABBR = '<abbr class="term" tabindex="0" data-tip="{}" data-links="{}">{}</abbr>'


@register.simple_tag
def term(word: str, meant: str = "") -> SafeString:
    """`meant`: the key of its explanation, where the word means something else here than elsewhere."""
    return _told(str(word), str(meant or word))


@lru_cache(1024, typed=True)  # a safe text is another one than the same that is to be escaped
def _told(word: str, key: str) -> SafeString:
    """What words mean does not change, and a page has a hundred of them."""
    found = explained(key)
    if found is None:
        return format_html("{}", word)
    links = " ".join(f"{whose} {address}" for whose, address in found.manuals.items())
    return format_html(ABBR, found.says, links, word)
