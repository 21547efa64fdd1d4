"""One crash point as an archive that shows it on another machine, without Durascope.

README.md, show.sh, rows.sql, rows.awk   go into each archive of a load
README-history.md, show-history.sh, transactions.awk   go into each archive of a small history
start.sh       goes into both: it starts the server
follow.sh      goes into an archive with a replica: it follows the server
"""
