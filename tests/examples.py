"""How many random examples a test tries: a fifth of what it names. All with `EXAMPLES=all`, as scripts/release does."""

import os

SHARE = 1 if os.environ.get("EXAMPLES") == "all" else 5


def tried(most: int) -> int:
    return -(-most // SHARE)
