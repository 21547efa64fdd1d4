"""News about changes: one message per server and round, confirmed changes only."""

from collections.abc import Sequence
from itertools import groupby

from dashboard.findings import changes as words
from dashboard.records.history import queries
from dashboard.records.history.models import Change
from dashboard.records.notifications.events import News, notify


def tell(confirmed: Sequence[Change]) -> None:
    """Within the caller's transaction."""
    tracks = {change.track_id: change.track for change in confirmed}
    differ = queries.differences(confirmed, {pk: queries.rows([track]) for pk, track in tracks.items()})
    by_server = sorted(confirmed, key=lambda change: (change.track.server_id, change.first.at, change.pk))
    for _, same in groupby(by_server, key=lambda change: change.track.server_id):
        notify(_event(list(same), differ))


def _event(changes: list[Change], differ: dict[int, list[queries.Difference]]) -> News:
    first = changes[0]
    more = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
    return News(
        key="change_point",
        title=f"{first.track.server}: {words.headline(first)}{more}",
        text="\n".join(_says(change, differ[change.pk]) for change in changes),
        path=first.track.get_absolute_url(),
        facts={"server": first.track.server.name, "changes": [_facts(one, differ[one.pk]) for one in changes]},
    )


def _says(change: Change, differ: list[queries.Difference]) -> str:
    before, after = words.level(change, change.before), words.level(change, change.after)
    again = f" Measured again: {words.level(change, change.again)}." if change.again is not None else ""
    return (
        f"{words.headline(change)}, from {before} to {after}, on {change.first.at:%Y-%m-%d} ({change.track.says})."
        f"{again} Differences in the environment: {words.differed(differ)}."
    )


def _facts(change: Change, differ: list[queries.Difference]) -> dict[str, object]:
    return {
        "figure": change.figure,
        "variant": change.track.variant,
        "condition": change.track.says,
        "at": change.first.at.isoformat(),
        "before": change.before,
        "after": change.after,
        "p": change.p,
        "differed": [{"what": what, "before": old, "after": new} for what, old, new in differ],
    }
