"""Crash points: one load is recorded, then each content that a crash could have left is recovered and judged.

recorded.py     the load, its recording, and what its clients knew at each moment
kills.py        kill points: stops of the server during the load
lane.py         a disk that becomes one state after the other, and its server
attempts.py     tries the chosen states in all lanes
judge_state.py  judges one state after its recovery
violations.py   the violations that are examined further
neighbours.py   the contents of the disks that a violation is compared with
shrink.py       the one block that decides a violation
another_load.py  another load of the trial, with something changed
shortest.py     the shortest load at which the checks of a violation fail
other_settings.py  the settings that decide a violation, tried with their safer values
export/         a violation as an archive that shows it on another machine
story.py        the result of a recorded load: its states, what was covered
untried.py      the crash points that were not tried, as one text
steps.py        the steps of such a trial
histories.py    small histories
play.py         plays and records one of them, and knows what must be there after each of its steps
server_content.py  what a server holds of it, as text
judge_history.py  judges one state of it after its recovery
smallest.py     the smallest part of a small history that recovers wrong
of_replica.py   crash points of a replica while it applies, alone or together with its primary
exhaust.py      recovers every subset of the unflushed writes of a small history
"""
