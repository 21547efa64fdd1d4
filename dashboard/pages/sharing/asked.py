"""Query parameters that a guest may send to a shared page. Unknown names and impossible values are dropped first, so
that an invented query gives the same stored page."""

import re
from collections.abc import Mapping

from django.http import QueryDict

from dashboard.records.plan_outline import PlanOutline

PLACE = re.compile(r"[0-9]{1,4}")
WORD = re.compile(r"[a-z][a-z0-9_-]{0,39}")
KNOWN: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(("workload", "baseline", "server", "threads", "mine", "variant", "page"), PLACE),
    **dict.fromkeys(("crash", "lost", "figure", "by", "scale", "theme"), WORD),
    "hide": re.compile(r"(?:[0-9]{1,3}(?:,[0-9]{1,3}){0,15})?"),
}


def known(query: QueryDict) -> QueryDict:
    """Sorted, each name once."""
    kept = QueryDict(mutable=True)
    for name, pattern in sorted(KNOWN.items()):
        if (value := query.get(name)) is not None and pattern.fullmatch(value):
            kept[name] = value
    return QueryDict(kept.urlencode(safe=","))


def within(plan: PlanOutline, query: QueryDict) -> QueryDict:
    """Without indexes that the plan does not have: pages ignore these."""
    ends = {"workload": len(plan.workloads), "server": len(plan.targets), "threads": len(plan.threads)}
    ends |= dict.fromkeys(("baseline", "mine", "variant"), len(plan.variants))
    kept = query.copy()
    for name, end in ends.items():
        if int(kept.get(name, 0)) >= end:
            del kept[name]
    return QueryDict(kept.urlencode(safe=","))
