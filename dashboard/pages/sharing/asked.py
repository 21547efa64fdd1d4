"""What a guest may ask of a shared page: the names that some page knows, with values that could mean something. All
else is left out before a page is looked for or made, so that a made-up query is the same page."""

import re
from collections.abc import Mapping
from typing import Any

from django.http import QueryDict

PLACE = re.compile(r"[0-9]{1,4}")
WORD = re.compile(r"[a-z][a-z0-9_-]{0,39}")
KNOWN: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(("workload", "baseline", "server", "threads", "mine", "variant", "page"), PLACE),
    **dict.fromkeys(("crash", "lost", "figure", "by", "scale", "theme"), WORD),
    "hide": re.compile(r"(?:[0-9]{1,3}(?:,[0-9]{1,3}){0,15})?"),
}


def known(query: QueryDict) -> QueryDict:
    """In one order, each name once."""
    kept = QueryDict(mutable=True)
    for name, pattern in sorted(KNOWN.items()):
        if (value := query.get(name)) is not None and pattern.fullmatch(value):
            kept[name] = value
    return QueryDict(kept.urlencode(safe=","))


def within(plan: Mapping[str, Any], query: QueryDict) -> QueryDict:
    """Without places that the plan does not have: pages take them for not asked."""
    ends = {"workload": len(plan["workloads"]), "server": len(plan["targets"]), "threads": len(plan["threads"])}
    ends |= dict.fromkeys(("baseline", "mine", "variant"), len(plan["variants"]))
    kept = query.copy()
    for name, end in ends.items():
        if int(kept.get(name, 0)) >= end:
            del kept[name]
    return QueryDict(kept.urlencode(safe=","))
