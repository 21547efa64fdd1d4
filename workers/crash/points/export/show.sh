#!/bin/sh
# Recovers disk.img with a server of your choice and lists the acknowledged rows that are missing afterwards.
#
#   sh show.sh /path/to/mysqld [options of the server, such as --basedir=DIR]
#
# Exit status: 0 nothing is missing; 1 rows are missing, or the server does not start; 2 it could not be tried.
# It needs e2fsck and debugfs (e2fsprogs), and no root. disk.img stays as it is. The binary log is read too if
# mysqlbinlog or mariadb-binlog is installed.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; }
mysqld=$1
shift
PATH=$PATH:/usr/sbin:/sbin
for needed in e2fsck debugfs "$mysqld"; do
    command -v "$needed" >/dev/null || { echo "$needed is not installed." >&2; exit 2; }
done

work=$(mktemp -d)
server=
ended() {
    [ -z "$server" ] || kill -9 "$server" 2>/dev/null || :
    [ -z "$server" ] || wait "$server" 2>/dev/null || :
    rm -rf "$work"
}
trap ended EXIT
trap 'exit 2' INT TERM HUP

# What mount(8) would do: replay the journal of the file system. A file system that this does not repair is checked.
take_out() { # a disk, and a folder at its top: into the folder of that disk, as deep as it was recorded
    [ -f "$work/$1.img" ] || cp --sparse=always "$here/$1.img" "$work/$1.img"
    mkdir -p "$work/$1/mnt"
    e2fsck -y -E journal_only "$work/$1.img" >>"$work/e2fsck.log" 2>&1 || :
    copy_out "$@" || { e2fsck -f -y "$work/$1.img" >>"$work/e2fsck.log" 2>&1 || :; copy_out "$@"; }
}
copy_out() {
    rm -rf "$work/$1/mnt/$2"
    debugfs -R "rdump /$2 $work/$1/mnt" "$work/$1.img" >"$work/debugfs.log" 2>&1 && [ -d "$work/$1/mnt/$2" ]
}
take_out disk data || { echo "The disk holds no data directory any more."; exit 1; }
data=$work/disk/mnt/data binlogs=$work/disk/mnt/data

# Logs on a disk of their own.
if [ -f "$here/logs.img" ]; then
    if take_out logs redo; then set -- "--innodb-log-group-home-dir=$work/logs/mnt/redo" "$@"; fi
    if take_out logs binlog; then
        binlogs=$work/logs/mnt/binlog
        set -- --log-bin=../../../logs/mnt/binlog/binlog "$@"
    fi
fi

sed "s|@FOUND@|$work/found|" "$here/rows.sql" >"$work/rows.sql"
[ "$(id -u)" != 0 ] || set -- --user=root "$@"
"$mysqld" --defaults-file="$here/my.cnf" --datadir="$data" --tmpdir="$work" --socket="$work/sock" \
    --pid-file="$work/pid" --log-error="$work/server.log" --skip-networking --skip-grant-tables --secure-file-priv= \
    --init-file="$work/rows.sql" "$@" >>"$work/server.log" 2>&1 &
server=$!
waited=0
until [ -s "$work/found.done" ]; do
    if ! kill -0 "$server" 2>/dev/null || [ $((waited += 1)) -gt 600 ]; then
        echo "The server does not answer. Its error log ends with:"
        tail -n 40 "$work/server.log"
        exit 1
    fi
    sleep 0.1
done

status=0
awk -F '\t' 'BEGIN { OFS = FS } /^[^#]/ && $6 != "-" { print $1, $2, $3, $4, $5 }' "$here/commits.txt" | sort >"$work/must"
compare() { # a place, and the file of its rows
    sort "$2" | comm -23 "$work/must" - >"$work/missing"
    echo "$1: $(($(wc -l <"$work/missing"))) of $(($(wc -l <"$work/must"))) acknowledged rows are missing."
    [ ! -s "$work/missing" ] || { echo "  table, client, n, part, digest"; head -n 5 "$work/missing" | sed 's/^/  /'; status=1; }
}
compare "Tables" "$work/found"

binlog=$(command -v mariadb-binlog || command -v mysqlbinlog || :)
if [ -n "$binlog" ] && ls "$binlogs"/binlog.0* >/dev/null 2>&1; then
    "$binlog" --no-defaults --verbose --base64-output=decode-rows "$binlogs"/binlog.0* 2>"$work/binlog.log" |
        awk -f "$here/rows.awk" >"$work/logged"
    compare "Binary log" "$work/logged"
    sed 's/^/  /' "$work/binlog.log" | grep -i error | head -n 5 || :
fi
exit $status
