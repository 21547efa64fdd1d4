"""A replica at a crash point: it starts, follows, and follows again after its primary wrote on."""

import pytest

from workers.crash.evidence import ReplicaSeen
from workers.crash.replica import AFTER_RECOVERY, FOLLOW_S, WROTE_ON, followed
from workers.crash.replica_check import has_written_on
from workers.errors import SandboxError, ServerEnded, ServerError


class Follower:
    def __init__(self, refuses=None):
        self.done, self.refuses = [], refuses

    def reconnect(self, moment, limit_s):
        self.done.append((moment, limit_s))
        return ReplicaSeen(moment, "caught up")

    def write_past(self):
        self.done.append("the primary writes on")
        if self.refuses:
            raise self.refuses


def test_a_replica_follows_before_and_after_its_primary_wrote_on():
    one = Follower()
    assert [seen.moment for seen in followed(lambda: one)] == [AFTER_RECOVERY, WROTE_ON]
    assert one.done == [(AFTER_RECOVERY, FOLLOW_S), "the primary writes on", (WROTE_ON, FOLLOW_S)]


def test_behind_a_primary_that_cannot_write_on_the_replica_is_not_known():
    after, then = followed(lambda: Follower(ServerError("1034: Index for table 'one' is corrupt")))
    assert after == ReplicaSeen(AFTER_RECOVERY, "caught up"), "it is still known how it followed before"
    says = "The primary cannot write on: 1034: Index for table 'one' is corrupt"
    assert then == ReplicaSeen(WROTE_ON, "unknown", says)
    assert not has_written_on((after, then)), "no GTID was used again"


@pytest.mark.parametrize(
    ("error", "state", "says"),
    [
        (ServerEnded("a torn page"), "stopped", "it does not start: a torn page"),
        (SandboxError("it hangs"), "unknown", "it hangs"),
    ],
)
def test_a_replica_that_ends_by_itself_stopped_and_one_that_hangs_is_not_known(error, state, says):
    def start():
        raise error

    assert followed(start) == (ReplicaSeen(AFTER_RECOVERY, state, says),)
