"""A recording of a volatile disk: every write and flush in order, and every content that a power loss could have left.

The disk's process writes the file of events. Everything else is worked out afterwards.

    events.py     the file of a recording: its events, written by the disk's process, read with checks
    recording.py  Recording: the events, the content of the writes, and the disk as it was when the recording began
    versions.py   every content that each block had
    states.py     crash points, and the disk's content at each
    points.py     which crash points to try, so that they cover a load
    joint.py      disks that were recorded at once, and their crash points
    filemap.py    which file each block belongs to
"""
