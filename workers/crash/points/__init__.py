"""Every crash point: one load is recorded, then each content that a power loss could have left is recovered and judged.

recorded.py   the load, its recording, and what its clients knew at each moment
lane.py       recovers one state after the other on a disk of its own, and judges each
story.py      the result of a recorded load: its states, what was covered, what was not tried
chain.py      the steps of such a trial
"""
