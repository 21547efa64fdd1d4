"""The write outage as one client saw it that reconnects while the owner's command runs."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

Times = npt.NDArray[np.float64]
ONE_CONNECTION = """\
only one connection of the client committed. Either the old server still answers it, or it had committed nothing \
before"""


@dataclass(frozen=True)
class ClientOutage:
    """In seconds since the load began. `last_s`: the last acknowledged commit before the client had to reconnect;
    `first_s`: the first one afterwards; None: not known, and `why` says the reason. `failed`: attempts that the server
    refused, or for which there was no connection. `in_doubt`: commits without an answer. `after`: commits acknowledged
    from `first_s` on; `missing`: those of them that the engine lacks, None: not known."""

    last_s: float | None = None
    first_s: float | None = None
    failed: int = 0
    in_doubt: int = 0
    after: int = 0
    missing: int | None = None
    why: str = ""

    @property
    def seconds(self) -> float | None:
        return None if self.first_s is None or self.last_s is None else self.first_s - self.last_s


def longest(acknowledged_at_s: Sequence[Times]) -> tuple[float, float] | None:
    """The last commit of one connection and the first one of the next, with the most time in between. None: there are
    not two connections with acknowledged commits."""
    told = [times for times in acknowledged_at_s if len(times)]
    between = [(float(one[-1]), float(following[0])) for one, following in pairwise(told)]
    return max(between, key=lambda gap: gap[1] - gap[0], default=None)
