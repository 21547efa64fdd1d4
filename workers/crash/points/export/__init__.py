"""One crash point as an archive that shows it on another machine, without Durascope.

write.py       makes the archive from a recorded load
contents.py    what it holds beside the disk, read and written
again.py       recovers it once more, and judges it
README.md, show.sh, rows.sql, rows.awk   go into each archive
"""
