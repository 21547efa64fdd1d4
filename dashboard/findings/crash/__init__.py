"""Crash trials on pages: how often a setting failed, how much it lost, beside its speed.

A trial that could not be completed is unknown: counted apart, never among those that held. Where the controls of
the detector did not come out as they must, nothing that was found counts.
"""
