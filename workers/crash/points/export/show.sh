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
. "$here/start.sh"

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
sort "$work/disk.rows" >"$work/found"
compare "Tables" "$work/found"

if [ -z "$client" ] || ! sql --execute="XA RECOVER" >"$work/prepared" 2>"$work/client.log"; then
    untried "Prepared transactions, and damage in tables: not tried. The program mysql or mariadb could not ask the server."
else
    none_of "$work/prepared" "Prepared transactions: $(lines "$work/prepared") are left."
    sql --execute="CHECK TABLE @SCHEMA@.one, @SCHEMA@.left_half, @SCHEMA@.right_half" >"$work/checked" 2>&1 || :
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
    # One after the other: a file that cannot be read hides the next ones. MariaDB from 11.4 on has indexes of GTIDs beside.
    for file in "$binlogs"/binlog.*[0-9]; do
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

[ ! -f "$here/replica.img" ] || . "$here/follow.sh"

if [ -s "$here/not-shown.txt" ]; then
    untried "These checks failed too. This script does not try them:"
    sed 's/^/  /' "$here/not-shown.txt"
fi
[ $wrong = no ] || exit 1
[ $untried = no ] || exit 2
