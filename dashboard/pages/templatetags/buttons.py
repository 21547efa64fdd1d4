"""{% post_button "Delete" "servers:delete" server look="danger" ask="Delete {}? ..." %}: a form that is one button.
Loaded in every template."""

from django import template
from django.db.models import Model
from django.urls import reverse

register = template.Library()


@register.inclusion_tag("components/post_button.html")
def post_button(says: str, to: str, one: Model, *, look: str = "", ask: str = "") -> dict[str, str]:
    """`to`: the name of the address that takes `one`. `look`: classes of the button. `ask`: the question of confirm.js;
    {} in it becomes the name of `one`."""
    return {"says": says, "look": look, "action": reverse(to, args=[one.pk]), "ask": ask.format(one)}
