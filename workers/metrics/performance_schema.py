"""Whether a server has its performance_schema."""

from workers.servers.facts import Facts

OFF = (
    "performance_schema is off. Set performance_schema=ON: for a sandbox in the settings of the experiment, for your "
    "own server in its option file, and restart it."
)


def is_off(facts: Facts) -> bool:
    return facts.variable("performance_schema") not in ("ON", "1")
