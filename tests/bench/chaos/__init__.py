"""Faults, drawn with a seed, in a running installation; after each round the invariants are checked.

    python -m tests.bench.chaos --faults 200 --seed 1        # before a release: about an hour
    python -m tests.bench.chaos --faults 14 --seed 1 --short # as the tests run it

A round starts an experiment, injects faults while it runs, and then leaves everything alone: the experiment must end,
Resume must finish it, and everything must be as it was before (`invariants`). `controls` break each invariant on
purpose: a check that cannot fail proves nothing.
"""
