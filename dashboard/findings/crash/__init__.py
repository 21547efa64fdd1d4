"""Findings on crash trials: how often a setting failed, how much it lost, and its speed.

A trial without a complete result is unknown. It is never counted as valid. If the self-test of the checks fails, no
verdict counts.
"""
