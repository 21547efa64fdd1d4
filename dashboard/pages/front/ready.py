"""Missing parts without which nothing can be measured, in words."""

from dashboard.pages.monitoring.health import passes

MISSING = {
    "redis": (
        "Redis does not answer.",
        "Experiments that you start are queued and run when Redis is back. Until then no worker is notified, and  "
        "running experiments show no live figures. Start Redis, or read its log.",
    ),
    "worker": (
        "No worker is alive.",
        "Experiments and connection tests stay queued until a worker runs, and then start by themselves.  "
        "Start a worker, or read its log.",
    ),
}


def missing() -> list[tuple[str, str]]:
    """(What happened, what to do) for each missing part."""
    return [words for name, words in MISSING.items() if not passes(name)]
