"""The part of a trial's page about a client that reconnected while the owner's command ran."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.text.numbers import duration, whole
from workers.crash.outage import ClientOutage


@dataclass(frozen=True)
class OutageView:
    """`took`: "unknown" if it is not known."""

    took: str
    facts: Sequence[tuple[str, str]]


def view(outage: ClientOutage) -> OutageView:
    facts = [
        ("Last acknowledged commit before", _moment(outage.last_s)),
        ("First acknowledged commit afterwards", _moment(outage.first_s)),
        ("Failed attempts", f"{whole(outage.failed)} logins or statements"),
        ("In doubt", f"{whole(outage.in_doubt)} sent, no answer"),
        ("Acknowledged afterwards", _after(outage)),
        ("Why the outage is unknown", outage.why),
    ]
    took = "unknown" if outage.seconds is None else duration(outage.seconds)
    return OutageView(took, [(name, says) for name, says in facts if says])


def _moment(at_s: float | None) -> str:
    return "" if at_s is None else f"{duration(at_s)} after the load began"


def _after(outage: ClientOutage) -> str:
    if outage.first_s is None:
        return ""
    known = {None: "unclear whether they are there", 0: "all are there"}
    return f"{whole(outage.after)}, {known.get(outage.missing) or f'{whole(outage.missing)} are missing'}"
