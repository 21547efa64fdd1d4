# What the installation makes on this machine: users, folders, files, a PostgreSQL role and its database. Each is written
# into a record before it is made. So a thing that exists and is not in the record belongs to somebody else, and the
# removal knows what to remove.

PROGRAM=/opt/durascope RELEASES=/opt/durascope-releases CONFIG=/etc/durascope DATA=/var/lib/durascope
RECORD=$CONFIG/made
UNITS=/etc/systemd/system
SITE=/etc/nginx/sites-available/durascope SITE_ON=/etc/nginx/sites-enabled/durascope
CHANGES=0

# act TEXT COMMAND...: says it and does it; a dry run only says it.
act() {
    say "  $1"
    CHANGES=$((CHANGES + 1))
    [ -n "$DRY_RUN" ] || "${@:2}"
}

made() { grep -qxF "$1 $2" $RECORD 2>/dev/null; }

note() { made "$1" "$2" || echo "$1 $2" >>$RECORD; }

# The folder and its record appear together.
record_begins() {
    [ ! -e $RECORD ] || return 0
    act "make the folder $CONFIG" begin_record
}
begin_record() {
    rm -rf $CONFIG.new
    install -d -m 0755 $CONFIG.new
    printf 'folder %s\n' $CONFIG >$CONFIG.new/made
    for package in $INSTALLED; do echo "package $package" >>$CONFIG.new/made; done
    chmod 0600 $CONFIG.new/made
    mv -T $CONFIG.new $CONFIG
}

# thing KIND NAME COMMAND...: makes it unless it exists.
thing() {
    exists "$1" "$2" || act "make the $1 $2" make_thing "$@"
}
make_thing() {
    note "$1" "$2"
    "${@:3}"
}

exists() {
    case $1 in
    user) getent passwd "$2" >/dev/null ;;
    folder | file | link) [ -e "$2" ] || [ -L "$2" ] ;;
    role) [ "$(postgres "SELECT 1 FROM pg_roles WHERE rolname = '$2'")" = 1 ] ;;
    database) [ "$(postgres "SELECT 1 FROM pg_database WHERE datname = '$2'")" = 1 ] ;;
    esac
}

# Only after the services have been stopped.
remove_thing() {
    case $1 in
    user) userdel "$2" ;;
    folder) rm -r --one-file-system "$2" ;;
    file | link) rm "$2" ;;
    role | database) echo "DROP ${1^^} $2" | as_postgres psql -qX -v ON_ERROR_STOP=1 ;;
    esac
}

# place FILE MODE GROUP: writes standard input into a file of root, unless it has this content.
place() {
    local text
    text=$(cat)
    [ -e "$1" ] && [ "$text" = "$(cat "$1")" ] && return
    act "write $1" write_file "$1" "$2" "$3" "$text"
}
# An upgrade that goes back on a full disk does not stop at an error: a half-written file must not replace the old one.
write_file() {
    note file "$1" && (umask 077 && printf '%s\n' "$4" >"$1.new") && chgrp "$3" "$1.new" && chmod "$2" "$1.new" &&
        mv "$1.new" "$1"
}

as_postgres() { (cd / && setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"); }

# The answer to a question; nothing if there is no PostgreSQL yet.
postgres() {
    getent passwd postgres >/dev/null && has psql || return 0
    echo "$1" | as_postgres psql -qXAt -v ON_ERROR_STOP=1 2>/dev/null || true
}
