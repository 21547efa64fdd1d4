"""A recording of a volatile disk: every write and flush in order, and every content that a power loss could have left.

The disk's process writes the file of events. Everything else is worked out afterwards.
"""
