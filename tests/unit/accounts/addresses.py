"""Every address of the product, with something plausible in each place."""

import re

from django.urls import URLPattern, get_resolver
from django.urls.converters import IntConverter


def patterns(resolver, prefix="", space=""):
    """(name, route, converters, view) of every pattern, however deeply included."""
    for entry in resolver.url_patterns:
        if isinstance(entry, URLPattern):
            yield f"{space}{entry.name}", prefix + str(entry.pattern), entry.pattern.converters, entry.callback
        else:
            inner = f"{space}{entry.namespace}:" if entry.namespace else space
            yield from patterns(entry, prefix + str(entry.pattern), inner)


def filled(route, converters, number="1"):
    def example(found):
        converter = converters[found[1]]
        if isinstance(converter, IntConverter):
            return number
        return "A" * 32 if "{32}" in converter.regex else "json"

    return "/" + re.sub(r"<(?:\w+:)?(\w+)>", example, route)


VIEWS = {name: view for name, _, _, view in patterns(get_resolver())}
ALL = [(name, filled(route, converters)) for name, route, converters, _ in patterns(get_resolver())]
