"""One crash point as an archive that shows it on another machine, without Durascope.

write.py       makes the archive from a recorded load
contents.py    what it holds beside the disk, read and written
follower.py    what it holds so that a replica in it can follow
history.py     makes and reads the archive of a state of a small history
recording.py   the recording of a load, and crash points of it that were not tried
again.py       recovers an archive once more, and judges it
README.md, show.sh, rows.sql, rows.awk   go into each archive of a load
README-history.md, show-history.sh, transactions.awk   go into each archive of a small history
start.sh       goes into both: it starts the server
follow.sh      goes into an archive with a replica: it follows the server
"""
