"""The checks of crash trials, and the losses that settings allow."""

from collections.abc import Iterator

from reference.markdown import code, page, plain, table
from workers.crash.checks import CHECKS
from workers.servers import risks
from workers.topology.checks import CHECKS as FAILOVER_CHECKS


def page_of_checks() -> str:
    return page(
        "Checks",
        "Results, recipes and the API name a check by its key. [Verdicts](../docs/verdicts.md) says when each fails.\n",
        "## Of a crash trial\n",
        table(("check", "key", "evidence that it needs"), _checks()),
        "## Of a failover\n",
        table(("check", "key"), ((plain(one.title), code(key)) for key, one in FAILOVER_CHECKS.items())),
    )


def _checks() -> Iterator[tuple[str, ...]]:
    for key, one in CHECKS.items():
        yield plain(one.title), code(key), plain(", ".join(one.needs).replace("_", " "))


def page_of_risks() -> str:
    _, kept, rows = risks.read(risks.FILE)
    return page(
        "Losses that settings allow",
        "The durability report of a server and the audit are worked out from these rows. Words in braces are filled in "
        "from the settings of the server.\n",
        "## What may be lost\n",
        table(("crash", "lost", "engine", "sentence of the report", "change", "rests on"), map(_risk, rows)),
        "## Where no row applies\n",
        table(
            ("crash", "of", "sentence of the report"),
            ((crash, what, plain(says)) for (crash, what), says in kept.items()),
        ),
    )


def _risk(one: risks.Risk) -> tuple[str, ...]:
    engines = ", ".join(filter(None, one.engines))
    reason = f"<{one.rests_on}>" if one.rests_on.startswith("https://") else plain(one.rests_on)
    return ", ".join(one.crashes), ", ".join(one.whats), engines, plain(one.says), code(one.change), reason
