"""As many threads as a plan may ask for."""

import secrets

from workers.bench import sysbench
from workers.bench.load import LoadRequest
from workers.bench.plan import MOST_THREADS
from workers.servers.connection import connect


def test_the_most_threads_measure_something(sandbox):
    schema = f"durascope_many_{secrets.token_hex(4)}"
    with connect(sandbox.target) as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {schema}")
        try:
            request = LoadRequest(sandbox.target, schema, "oltp-read-write", {}, "innodb", 10_000, MOST_THREADS, 2, 7)
            sysbench.prepare(request, lambda: False)
            result = sysbench.run(request, lambda second: None, lambda: False)
            assert result.transactions > 100
            assert result.elapsed_s < 30
        finally:
            cursor.execute(f"DROP DATABASE {schema}")
