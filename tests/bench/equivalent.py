"""Faults that change nothing that anybody could see, each with its reason. They are not tried and not counted.

File -> (before, after) as `tests.bench.mutation` prints them -> reason. A test holds that each is still a fault of its
file (tests/unit/test_mutants.py).
"""

from collections.abc import Mapping

EQUAL_LENGTHS = "both sides are always equally long: `strict` finds only a mistake of ours"
ANY_NEGATIVE = "numpy works out the size of an axis for any negative number"
SPEED = "it decides how much is done at once, not what"
UNNAMED = "a transaction without a GTID is never named by its source"
STRICT = {("strict=True", "strict=False"): EQUAL_LENGTHS}

EQUIVALENT: Mapping[str, Mapping[tuple[str, str], str]] = {
    "workers/crash/checks.py": STRICT
    | {
        (
            "(client_of(last) == client_of(missing)) & (last > missing)",
            "(client_of(last) == client_of(missing)) & (last >= missing)",
        ): "what is missing is not there",
    },
    "workers/crash/compare_tables.py": STRICT
    | {
        ("WRITES_AFTER = 1000", "WRITES_AFTER = 1001"): "any client beyond those of the witness will do",
        ("WRITES_ON = 1002", "WRITES_ON = 1003"): "any client beyond those of the witness will do",
        ("-1", "-2"): ANY_NEGATIVE,
        (
            "client if 0 <= client < MOST_CLIENTS else NOBODY",
            "client if 0 <= client <= MOST_CLIENTS else NOBODY",
        ): "`keys_found` looks at the bound again; here a number only has to fit 64 bits",
    },
    "workers/crash/content.py": {
        ("prepend=values[:1] - 1", "prepend=values[:1] + 1"): "any number will do that is not the first value",
        ("values[:1] - 1", "values[:1] - 2"): "any number will do that is not the first value",
    },
    "workers/crash/transactions.py": {("-1", "-2"): "any negative place is none; " + ANY_NEGATIVE},
    "workers/crash/digest.py": STRICT | {("AT_ONCE = 8192", "AT_ONCE = 8193"): SPEED},
    "workers/crash/evidence.py": {
        ("gtid_before: str = ''", "gtid_before: str = 'x'"): "every trial says it; no check reads it",
    },
    "workers/crash/binlog/events.py": {
        ("wanted *= 2", "wanted *= 3"): SPEED,
        (
            "if at_border or kind in BORDERS or follows != base + after & 4294967295",
            "if True",
        ): "a closer look at an event that is in its place finds nothing",
    },
    "workers/crash/binlog/groups.py": {
        ("self._file = ''", "pass"): "`begin_file` comes before the first event",
    },
    "workers/crash/binlog/names.py": {
        ("Source('', '')", "Source('x', '')"): UNNAMED,
        ("Source('', '')", "Source('', 'x')"): UNNAMED,
    },
    "workers/analysis/blocks.py": {("-1", "-2"): ANY_NEGATIVE},
    "workers/analysis/change_points.py": {
        (
            "2 / comb(n, n // 2) <= LEVEL",
            "2 / comb(n, n // 2) < LEVEL",
        ): "no number of values is as rare as exactly 1 of 100",
        ("as_large >= too_many", "as_large > too_many"): "the p is above the level either way, and is not told then",
    },
}
