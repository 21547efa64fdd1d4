"""Problems of a plan with an own transaction."""

from collections.abc import Iterator

from workers.bench.plan import Plan
from workers.bench.workloads import OWN, own_transaction
from workers.crash.kinds import CRASH_KINDS
from workers.transaction.declaration import Declaration
from workers.transaction.predict import why_not


def of_plan(plan: Plan) -> Declaration | None:
    """Raises PlanError when its file is wrong."""
    return next((own_transaction(one.params) for one in plan.workloads if one.key == OWN), None)


def problems(plan: Plan) -> Iterator[str]:
    """One sentence each. The files were checked before."""
    own = [one for one in plan.workloads if one.key == OWN]
    if len(own) > 1:
        yield "A plan has only one transaction of your own, because its tables share a schema. Remove the others."
    yield from _engines(plan)
    if plan.crash.trials and plan.crash.own_load:
        yield from _crashes(plan)


def _engines(plan: Plan) -> Iterator[str]:
    """A text of SHOW CREATE TABLE names the engine that the table had elsewhere."""
    declaration = of_plan(plan)
    for table in declaration.tables if declaration else ():
        for engine in sorted({variant.engine for variant in plan.variants}):
            if table.engine and table.engine.lower() != engine.lower():
                yield (
                    f"The table {table.name} of your own transaction says ENGINE={table.engine}, but a setting is "
                    f"measured in {engine}. Remove ENGINE from the file, or choose that engine in each setting."
                )


def _crashes(plan: Plan) -> Iterator[str]:
    if (declaration := of_plan(plan)) is None:
        yield "The plan has no transaction of your own to crash. Add its file to the workloads, or crash without it."
        return
    if why := why_not(declaration):
        yield why
    if plan.crash.replica:
        yield "With your own transaction the rows of a replica are not compared. Turn the replica off."
    if any(variant.settings.get("binlog_format", "ROW").upper() != "ROW" for variant in plan.variants):
        yield "Own transactions are found again in a binary log of rows only. Set binlog_format=ROW in each setting."
    if any(variant.topology for variant in plan.variants):
        yield "Failovers are not tried under your own transaction. Remove the topology, or crash without it."
    for kind in plan.crash.kinds:
        if kind in CRASH_KINDS and (CRASH_KINDS[kind].records or CRASH_KINDS[kind].attached):
            others = "Choose other crashes (kinds=process-kill,power-loss)."
            yield f"{CRASH_KINDS[kind].title} is not tried under your own transaction. {others}"
