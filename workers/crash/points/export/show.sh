#!/bin/sh
# Recovers disk.img with a server of your choice and says what is wrong afterwards.
#
#   sh show.sh /path/to/mysqld [options of the server, such as --basedir=DIR]
#
# Exit status: 0 nothing is wrong; 1 something is wrong; 2 nothing wrong was found, and a check could not be tried.
# It needs e2fsck and debugfs (e2fsprogs), and no root. disk.img stays as it is. The binary log is read by mysqlbinlog
# or mariadb-binlog, and the tables are checked by mysql or mariadb.
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

wrong=no untried=no
wrong() { wrong=yes; echo "$1"; }
untried() { untried=yes; echo "$1"; }
lines() { echo $(($(wc -l <"$1"))); }
none_of() { # a file whose lines are wrong, and the sentence about them
    if [ -s "$1" ]; then wrong "$2"; head -n 5 "$1" | sed 's/^/  /'; else echo "$2"; fi
}
# Clients and numbers of transactions of which some rows are there and some are not.
in_part() {
    awk -F '\t' 'NR == FNR { sent[$2 FS $3]++; next } { here[$2 FS $3]++ }
        END { for (one in here) if (here[one] < sent[one]) print one }' "$work/sent" "$1"
}
awk -F '\t' 'BEGIN { OFS = FS } /^[^#]/ { print $1, $2, $3, $4, $5 }' "$here/commits.txt" | sort >"$work/sent"
awk -F '\t' 'BEGIN { OFS = FS } /^[^#]/ && $6 != "-" { print $1, $2, $3, $4, $5 }' "$here/commits.txt" | sort >"$work/must"
compare() { # a place, and the sorted file of its rows
    comm -23 "$work/must" "$2" >"$work/missing"
    none_of "$work/missing" "$1: $(lines "$work/missing") of $(lines "$work/must") acknowledged rows are missing."
    comm -13 "$work/sent" "$2" >"$work/other"
    none_of "$work/other" "$1: $(lines "$work/other") rows are not as a client sent them."
    in_part "$2" >"$work/part"
    none_of "$work/part" "$1: $(lines "$work/part") transactions are there only in part."
}
sort -o "$work/found" "$work/found"
compare "Tables" "$work/found"

program() { # names: the first that is next to the server or on the PATH
    for name in "$@"; do
        for found in "$(dirname "$(command -v "$mysqld")")/$name" "$(command -v "$name" || :)"; do
            if [ -x "$found" ]; then echo "$found"; return; fi
        done
    done
}
case $("$mysqld" --version 2>&1) in
*MariaDB*) client=$(program mariadb mysql) binlog=$(program mariadb-binlog mysqlbinlog) ;;
*) client=$(program mysql mariadb) binlog=$(program mysqlbinlog mariadb-binlog) ;;
esac
sql() { "$client" --no-defaults --user=root --socket="$work/sock" --batch --skip-column-names --execute="$1"; }
if [ -z "$client" ] || ! sql "XA RECOVER" >"$work/prepared" 2>"$work/client.log"; then
    untried "Prepared transactions, and damage in tables: not tried. The program mysql or mariadb could not ask the server."
else
    none_of "$work/prepared" "Prepared transactions: $(lines "$work/prepared") are left."
    sql "CHECK TABLE @SCHEMA@.one, @SCHEMA@.left_half, @SCHEMA@.right_half" >"$work/checked" 2>&1 || :
    if awk -F '\t' '$3 == "note" { found = 1 } END { exit !found }' "$work/checked"; then
        untried "CHECK TABLE: not tried. The storage engine does not support it."
    else
        awk -F '\t' '!($3 == "status" && $4 == "OK")' "$work/checked" >"$work/damaged"
        none_of "$work/damaged" "CHECK TABLE: $(lines "$work/damaged") complaints."
    fi
fi

if ! ls "$binlogs"/binlog.0* >/dev/null 2>&1; then
    echo "Binary log: there is none."
elif [ -z "$binlog" ]; then
    untried "Binary log: not tried. Neither mysqlbinlog nor mariadb-binlog is installed."
else
    : >"$work/events"
    for file in "$binlogs"/binlog.0*; do # one after the other: a file that cannot be read hides the next ones
        read=yes
        "$binlog" --no-defaults --verify-binlog-checksum --verbose --base64-output=decode-rows "$file" \
            >>"$work/events" 2>"$work/binlog.log" || read=no
        if [ $read = no ] || grep -q ^ERROR "$work/binlog.log"; then # MariaDB's ends with 0 after an error
            wrong "Binary log: a replica cannot read ${file##*/} to its end."
            grep -i error "$work/binlog.log" | head -n 5 | sed 's/^/  /' || :
        fi
    done
    if grep -qi '^binlog_format=[sm]' "$here/my.cnf"; then
        untried "Rows of the binary log: not tried. It holds statements."
    else
        awk -f "$here/rows.awk" "$work/events" | sort >"$work/logged"
        compare "Binary log" "$work/logged"
        uniq -d "$work/logged" >"$work/twice"
        none_of "$work/twice" "Binary log: $(lines "$work/twice") rows are there more than once."
        comm -23 "$work/found" "$work/logged" >"$work/only"
        none_of "$work/only" "Only in the tables: $(lines "$work/only") rows are not in the binary log."
        comm -13 "$work/found" "$work/logged" >"$work/only"
        none_of "$work/only" "Only in the binary log: $(lines "$work/only") rows are not in the tables."
    fi
fi

if [ -s "$here/not-shown.txt" ]; then
    untried "These checks failed too. This script does not try them:"
    sed 's/^/  /' "$here/not-shown.txt"
fi
[ $wrong = no ] || exit 1
[ $untried = no ] || exit 2
