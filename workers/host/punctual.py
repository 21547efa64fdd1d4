"""A process that imitates hardware must act on time."""

import contextlib
import ctypes
import gc
import os

PR_SET_TIMERSLACK = 29  # prctl(2)


def be_punctual() -> None:
    """Exact timers (the default slack is 50 microseconds), no garbage collection, and real-time scheduling if it is
    allowed."""
    gc.disable()
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    ctypes.CDLL(None).prctl(PR_SET_TIMERSLACK, ctypes.c_ulong(1), 0, 0, 0)
