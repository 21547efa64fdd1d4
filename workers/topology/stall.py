"""How long writes stood still while the primary went on: a semi-synchronous one waits for a replica that is away."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Times = npt.NDArray[np.float64]


@dataclass(frozen=True)
class WriteStall:
    """The longest time without an acknowledgement for any client. `ended`: a commit was acknowledged afterwards;
    otherwise the load ended first."""

    seconds: float
    ended: bool


def longest(acknowledged_at_s: Times, since_s: float, until_s: float) -> WriteStall:
    """Of the times between acknowledgements that reach beyond `since_s`, to `until_s`, when the load ended."""
    times = np.sort(acknowledged_at_s[acknowledged_at_s <= until_s])
    last_before = times[times <= since_s][-1:] if (times <= since_s).any() else np.array([since_s])
    known = np.concatenate([last_before, times[times > since_s]])
    open_s = max(0.0, until_s - float(known[-1]))
    closed_s = float(np.diff(known).max(initial=0.0))
    return WriteStall(max(open_s, closed_s), closed_s >= open_s)
