"""Crash trials on pages: how often a setting failed, how much it lost, beside its speed.

A trial that could not be completed is unknown: counted apart, never among those that held. If
the checks fail their self-test, no verdict counts.
"""
