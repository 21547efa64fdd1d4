"""A template that asks for a name that its view does not give fails the test (FAIL_INVALID_TEMPLATE_VARS)."""

import pytest
from django.template import engines


@pytest.mark.parametrize("text", ["{{ misspelt }}", "{{ server.misspelt }}", '{{ misspelt|default:"nothing" }}'])
def test_an_unknown_name_fails(text):
    with pytest.raises(pytest.fail.Exception, match="misspelt"):
        engines["django"].from_string(text).render({"server": {"name": "box"}})


def test_a_known_name_is_written():
    assert engines["django"].from_string("{{ server.name }}").render({"server": {"name": "box"}}) == "box"
