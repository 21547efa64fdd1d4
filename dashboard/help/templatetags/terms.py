"""{% term "Fsyncs per commit" %}: the word with its explanation on hover and focus, the plain word where there is none.
Loaded in every template."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from dashboard.help.terms import explained

register = template.Library()
ABBR = '<abbr class="term" tabindex="0" data-tip="{}" data-links="{}">{}</abbr>'


@register.simple_tag
def term(word: str, meant: str = "") -> SafeString:
    """`meant`: the key of its explanation, where the word means something else here than elsewhere."""
    found = explained(str(meant or word))
    if found is None:
        return format_html("{}", word)
    links = " ".join(f"{whose} {address}" for whose, address in found.manuals.items())
    return format_html(
        '<abbr class="term" tabindex="0" data-tip="{}" data-links="{}">{}</abbr>', found.says, links, word
    )
