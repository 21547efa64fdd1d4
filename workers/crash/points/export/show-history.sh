#!/bin/sh
# Recovers disk.img with a server of your choice and compares what it holds with what it must hold.
#
#   sh show.sh /path/to/mysqld [options of the server, such as --basedir=DIR]
#
# Exit status: 0 nothing is wrong; 1 something is wrong; 2 nothing wrong was found, and a check could not be tried.
# It needs e2fsck and debugfs (e2fsprogs), and no root. disk.img stays as it is. The content is read by mysql or mariadb,
# and the transactions of the binary log are counted by mysqlbinlog or mariadb-binlog.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 2; }
. "$here/start.sh"

finish() {
    [ $wrong = no ] || exit 1
    [ $untried = no ] || exit 2
    exit 0
}
if [ -z "$client" ] || ! sql --execute="SELECT 1" >/dev/null 2>"$work/client.log"; then
    untried "Content: not tried. The program mysql or mariadb could not ask the server."
    finish
fi

held() { # as in the files of allowed/
    sql --raw <"$here/content.sql" >"$work/asked.sql" && sql <"$work/asked.sql" &&
        sql --execute="XA RECOVER" >"$work/prepared" &&
        awk -F '\t' '{ print "prepared transaction\t" $4 }' "$work/prepared" | sort
}
if ! held >"$work/held" 2>"$work/client.log"; then
    wrong "Content: it cannot be read."
    head -n 5 "$work/client.log" | sed 's/^/  /'
    finish
fi
alike=
for allowed in "$here"/allowed/*.txt; do
    ! cmp -s "$allowed" "$work/held" || alike="$alike ${allowed##*/}"
done
if [ -z "$alike" ]; then
    wrong "Content: it is none of the allowed ones."
    for allowed in "$here"/allowed/*.txt; do
        echo "Difference from allowed/${allowed##*/}, cut at 300 characters a line:"
        diff "$allowed" "$work/held" | cut -c 1-300 | sed 's/^/  /' || :
    done
    finish
fi
echo "Content: that of$(for one in $alike; do printf ' allowed/%s' "$one"; done)."

files() { # of the binary log, in the order of its index
    while IFS= read -r file; do [ -z "$file" ] || echo "$binlogs/${file##*/}"; done <"$binlogs/binlog.index"
}
count() { # transactions, each file up to its first damage
    files | while IFS= read -r file; do
        { "$binlog" --no-defaults --verify-binlog-checksum --base64-output=decode-rows "$file" 2>>"$work/binlog.log" || :; } |
            awk -f "$here/transactions.awk"
    done | awk '{ count += $1 } END { print count + 0 }'
}
has_texts() { # a file: its first line is a number, and each other line a text that a file of the binary log must hold
    sed 1d "$1" | while IFS= read -r text; do
        files | while IFS= read -r file; do cat "$file" || :; done 2>/dev/null | grep -aqF -e "$text" || { echo "$text"; break; }
    done
}
counted= fits=no
if [ -z "$binlog" ]; then
    untried "Number of transactions in the binary log: not tried. Neither mysqlbinlog nor mariadb-binlog is installed."
else
    counted=$(count)
fi
for one in $alike; do
    must=${here}/allowed/${one%.txt}.binlog
    if [ -n "$counted" ] && [ "$counted" != "$(head -n 1 "$must")" ]; then
        echo "Binary log: $counted transactions instead of $(head -n 1 "$must") (allowed/$one)."
    elif missing=$(has_texts "$must") && [ -n "$missing" ]; then
        echo "Binary log: it lacks the text \"$missing\" (allowed/$one)."
    else
        fits=yes
        [ -z "$counted" ] || echo "Binary log: $counted transactions, as it must be (allowed/$one)."
        break
    fi
done
[ $fits = yes ] || {
    wrong "Binary log: it does not fit to the content."
    [ ! -s "$work/binlog.log" ] || head -n 5 "$work/binlog.log" | sed 's/^/  /'
}
finish
