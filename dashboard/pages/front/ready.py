"""What keeps this installation from measuring, in words: what happened, what is untouched, what to do."""

from dashboard.pages.monitoring.health import passes

MISSING = {
    "redis": (
        "Redis does not answer.",
        "Nothing is lost: what you start is queued, and runs once Redis is back. Until then no worker hears of it, and "
        "running experiments show no live figures. Start Redis, or see the log of whatever keeps it running.",
    ),
    "worker": (
        "No worker is alive.",
        "Nothing is measured or tested until one runs. What was started stays queued and begins by itself then. "
        "Start a worker, or see its log.",
    ),
}


def missing() -> list[tuple[str, str]]:
    """(What happened, what to do), for all that is not there."""
    return [words for name, words in MISSING.items() if not passes(name)]
