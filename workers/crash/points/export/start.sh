# Part of show.sh: takes the data directory out of disk.img and starts the server on it.
# From `here` (the folder of the archive) and the arguments of show.sh it makes `work` (a folder), `binlogs` (a folder of
# the server), `client` and `binlog` (programs; "" if they are not installed).
mysqld=$1
shift
PATH=$PATH:/usr/sbin:/sbin
for needed in e2fsck debugfs "$mysqld"; do
    command -v "$needed" >/dev/null || { echo "$needed is not installed." >&2; exit 2; }
done

work=$(mktemp -d)
servers=
ended() {
    for one in $servers; do kill -9 "$one" 2>/dev/null || :; done
    for one in $servers; do wait "$one" 2>/dev/null || :; done
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
filled() { # a file for rows: SQL of the archive, with what only this machine knows
    printf 's|@FOUND@|%s|\ns/@PASSWORD@/%s/\ns/@PORT@/%s/\n' "$1" "$password" "$port" >"$work/fill.sed"
    sed -f "$work/fill.sed"
}
launch() { # a disk, its option file, and options: starts its server, and waits until it answers
    disk=$1 cnf=$2
    shift 2
    take_out "$disk" data || { echo "The disk holds no data directory any more ($disk.img)."; exit 1; }
    cat "$here/login.sql" "$here/rows.sql" 2>/dev/null | filled "$work/$disk.rows" >"$work/$disk.sql" || :
    echo "SELECT 'done' INTO OUTFILE '$work/$disk.done';" >>"$work/$disk.sql"
    [ "$(id -u)" != 0 ] || set -- --user=root "$@"
    "$mysqld" --defaults-file="$here/$cnf" --datadir="$work/$disk/mnt/data" --tmpdir="$work" --socket="$work/$disk.sock" \
        --pid-file="$work/$disk.pid" --log-error="$work/$disk.log" --secure-file-priv= --init-file="$work/$disk.sql" \
        "$@" >>"$work/$disk.log" 2>&1 &
    server=$! waited=0
    servers="$servers $server"
    until [ -s "$work/$disk.done" ]; do
        if ! kill -0 "$server" 2>/dev/null || [ $((waited += 1)) -gt 600 ]; then
            echo "The server does not answer ($disk.img). Its error log ends with:"
            tail -n 40 "$work/$disk.log"
            exit 1
        fi
        sleep 0.1
    done
}

binlogs=$work/disk/mnt/data
if [ -f "$here/logs.img" ]; then # logs on a disk of their own
    if take_out logs redo; then set -- "--innodb-log-group-home-dir=$work/logs/mnt/redo" "$@"; fi
    if take_out logs binlog; then
        binlogs=$work/logs/mnt/binlog
        set -- --log-bin=../../../logs/mnt/binlog/binlog "$@"
    fi
fi
user=root port=$((20000 + $$ % 10000)) password=$(od -An -N 16 -t x1 /dev/urandom | tr -d ' \n')
if [ -f "$here/replica.img" ]; then # a replica logs in over the network, so nobody else may
    user=durascope
    while grep -q ":$(printf %04X $port) " /proc/net/tcp 2>/dev/null; do port=$((port + 1)); done
    launch disk my.cnf --bind-address=127.0.0.1 --port=$port "$@"
else
    launch disk my.cnf --skip-networking --skip-grant-tables "$@"
fi

wrong=no untried=no
wrong() { wrong=yes; echo "$1"; }
untried() { untried=yes; echo "$1"; }
lines() { echo $(($(wc -l <"$1"))); }
none_of() { # a file whose lines are wrong, and the sentence about them
    if [ -s "$1" ]; then wrong "$2"; head -n 5 "$1" | sed 's/^/  /'; else echo "$2"; fi
}

program() { # names: the first that is next to the server or on the PATH
    for name in "$@"; do
        for found in "$(dirname "$(command -v "$mysqld")")/$name" "$(command -v "$name" || :)"; do
            if [ -x "$found" ]; then echo "$found"; return; fi
        done
    done
}
plain=
case $("$mysqld" --version 2>&1) in # from 11.4 on MariaDB's client would verify a certificate, also of a socket
*MariaDB*) plain=loose-skip-ssl client=$(program mariadb mysql) binlog=$(program mariadb-binlog mysqlbinlog) ;;
*) client=$(program mysql mariadb) binlog=$(program mysqlbinlog mariadb-binlog) ;;
esac
ask() { # a disk, and options: of its server
    of=$1
    shift
    # No other user of this machine sees the file.
    printf '[client]\nuser=%s\npassword=%s\n%s\n' $user $password "$plain" >"$work/client.cnf"
    "$client" --defaults-file="$work/client.cnf" --socket="$work/$of.sock" --default-character-set=utf8mb4 "$@"
}
sql() { ask disk --batch --skip-column-names "$@"; }
