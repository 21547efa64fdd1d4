"""A small valid request, and captured outputs of the real sysbench."""

from dataclasses import replace
from pathlib import Path

from workers.bench.load import LoadRequest
from workers.servers.target import Target

CAPTURED = Path(__file__).with_name("captured")
TARGET = Target("db", "attached", "app", "s3cret word", "db.example", 3307, tls="off")
REQUEST = LoadRequest(
    target=TARGET,
    schema="durascope_x",
    workload="update-by-key",
    params={},
    engine="innodb",
    table_rows=1000,
    threads=400,
    seconds=2,
    seed=7,
)


def captured(name: str) -> str:
    return (CAPTURED / f"{name}.txt").read_text()


def request(**changes) -> LoadRequest:
    return replace(REQUEST, **changes)
