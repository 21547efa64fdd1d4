"""Made-up points, lines of points and analyses."""

from dashboard.findings.analysis import Analysis
from dashboard.findings.point import Point, Stalls

QUIET = Stalls(0, 0, 0)


def point(**known):
    return Point(
        **{
            "server_id": 1, "variant": "1/1", "workload": "w", "threads": 8, "run_ids": (), "cell_ids": (),
            "repeats": 3, "seconds": 90, "tps": 1000.0, "lo": None, "hi": None, "settled": True, "stalls": QUIET,
            "latency_ms": {}, "transactions": 90_000, "errors": 0, "counts": "commits", "commits": 90_000,
            "fsyncs": {}, "group": None, "group_wait_ms": None, "missing": (), "fsync_latency": {},
            "contradictions": (), **known,
        }
    )  # fmt: skip


def analysis(points, headline=(), baseline="1/1"):
    return Analysis({}, baseline, tuple(points), tuple(headline), (), ())
