"""Tags of the frame of every page: its entries, each only for those who may open it."""

from django import template

from dashboard.pages.palette import entries

register = template.Library()


@register.inclusion_tag("components/nav_item.html", takes_context=True)
def nav_item(
    context: template.Context, page: str, label: str, *, icon: str = "", only_on: str = ""
) -> dict[str, object]:
    """{% nav_item "servers:list" "Servers" %}: an entry of a navigation. `icon`: the path of its picture."""
    here = page == entries.section(context["request"].path_info)
    return {"to": _to(context, page), "label": label, "icon": icon, "only_on": only_on, "here": here}


@register.inclusion_tag("components/option.html", takes_context=True)
def option(context: template.Context, page: str, label: str, words: str = "") -> dict[str, object]:
    """{% option "servers:list" "Servers" "hosts" %}: a page in the palette, and the words that find it, too."""
    return {"to": _to(context, page), "label": label, "words": words}


def _to(context: template.Context, page: str) -> str:
    return entries.address_for(context["user"], page)
