"""What a start would do, before it."""

from django.http import HttpRequest
from ninja import Schema
from ninja.pagination import RouterPaginated

from dashboard.findings.written import WrittenEstimate
from dashboard.pages.api.door import Token
from dashboard.pages.api.fields import with_values
from dashboard.pages.api.plans import StartIn, asked
from dashboard.pages.experiments.plan_review import PlanReview, reviewed

router = RouterPaginated()


class WrittenOut(Schema):
    """Of one server: the range of bytes that the load will write, and how much of it is binary log. null: an own
    transaction that was not measured before. `free_bytes`: of its disk, at the last connection test; null: unknown."""

    server_id: int
    low_bytes: float | None
    high_bytes: float | None
    low_binlog_bytes: float | None
    high_binlog_bytes: float | None
    free_bytes: int | None
    basis: str
    says: str


@with_values(PlanReview, "refusals cells trials estimate_s unwatched unlogged while_running")
class ReviewOut(Schema):
    """`refusals`: why it cannot be started; then `trials` is 0, `estimate_s` null, the lists are empty.
    In sentences, `unwatched`: replicas whose lag no guardrail watches; `unlogged`: sandboxes whose binary log is off
    although the plan sets how it is flushed; `while_running`: attached servers that get a setting with less effect than
    a start with it would have."""

    written: list[WrittenOut]


@router.post("/experiments/review", auth=Token("run"), response=ReviewOut)
def review_experiment(request: HttpRequest, start: StartIn) -> ReviewOut:
    """What a start with this body would measure, how long it takes and how much it writes. Nothing is started."""
    found = reviewed(asked(start).plan, request.user, production_confirmed=start.production_confirmed)
    written = [_written(pk, one) for pk, one in found.written.items()]
    return ReviewOut(**{**vars(found), "written": written})


def _written(server_id: int, one: WrittenEstimate) -> WrittenOut:
    low, high = one.low, one.high
    return WrittenOut(
        server_id=server_id,
        low_bytes=low.total if low else None,
        high_bytes=high.total if high else None,
        low_binlog_bytes=low.binlog if low else None,
        high_binlog_bytes=high.binlog if high else None,
        free_bytes=one.free_bytes,
        basis=one.basis,
        says=one.says,
    )
