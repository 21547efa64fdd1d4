# The steps up to the database. Each looks first, and does only what is missing.

# as in scripts/programs.sh: program or file | its package | why
SERVER_NEEDS='initdb|postgresql|the database
nginx|nginx|the proxy
openssl|openssl|makes a certificate
redis-check-rdb|redis-tools|Redis: tasks and live figures
setpriv|util-linux|runs commands as the user durascope
flock|util-linux|only one installation at a time'
PARTS=(dashboard workers templates static docs scripts deploy manage.py pyproject.toml requirements.txt)
INSTALLED='' # packages that this run has installed

packages() {
    local needs=$SERVER_NEEDS lacking
    [ "$PROXY" != none ] || needs=$(grep -v -e '^nginx' -e '^openssl' <<<"$needs")
    own_database || needs=$(grep -v '^initdb' <<<"$needs")$'\npg_dump|postgresql-client|backups of the database'
    [ "$(worker_kind)" = none ] || needs+=$'\n'$RUNNING_NEEDS
    own_redis || needs=$(grep -v '^redis-' <<<"$needs")
    lacking=$(missing "$needs" && has_venv)
    [ -n "$lacking" ] || return 0
    INSTALLED=$(cut -d'|' -f1 <<<"$lacking" | sort -u | tr '\n' ' ')
    act "install the packages $INSTALLED" apt_install
}
has_venv() { "$(python)" -c 'import ensurepip, venv' 2>/dev/null || echo 'python3-venv|the Python packages'; }
apt_install() {
    local as_root=() package
    # shellcheck disable=SC2086 # one word per package
    { apt_get update && apt_get install --yes --no-install-recommends $INSTALLED; } ||
        refuse "apt-get could not install them (see above). Nothing else was changed. Check the network and" \
            "/etc/apt/sources.list, then run this again: it goes on from here."
    [ ! -e $RECORD ] || for package in $INSTALLED; do note package "$package"; done
    check_python
}

users() {
    thing user durascope useradd --system --home-dir $DATA/home --shell /usr/sbin/nologin durascope
    thing user durascope-sandbox useradd --system --no-create-home --shell /usr/sbin/nologin durascope-sandbox
}

folders() {
    thing folder $DATA install -d -m 0755 $DATA
    thing folder $RELEASES install -d -m 0755 $RELEASES
    own $DATA/home durascope 0700
}
own() { # FOLDER OWNER MODE
    [ "$(stat -c '%U %a' "$1" 2>/dev/null)" = "$2 ${3#0}" ] ||
        act "make the folder $1 of $2" install -d -o "$2" -g "$2" -m "$3" "$1"
}

# The secrets, made once. Root alone reads this file; systemd gives its values to the services.
environment() {
    if [ -n "$ONLY_WORKER" ]; then place $CONFIG/only-worker 0644 root <<<yes; fi
    place $CONFIG/proxy 0644 root <<<"$PROXY"
    place $CONFIG/worker 0644 root <<<"$(worker_kind)"
    [ -e $CONFIG/durascope.env ] || secret_lines <"$SOURCE/deploy/durascope.env" | place $CONFIG/durascope.env 0600 root
}
secret_lines() {
    local line
    while IFS= read -r line; do
        if [[ $line =~ ^#?([A-Z_]+)= ]] && given "${BASH_REMATCH[1]}" >/dev/null; then continue; fi
        case $line in
        DATABASE_URL=*) line="DATABASE_URL=postgresql://durascope:$(random)@127.0.0.1:$(postgres 'SHOW port')/durascope" ;;
        DURASCOPE_REDIS=*) line="DURASCOPE_REDIS=unix://:$(random)@/run/durascope-redis/redis.sock" ;;
        DURASCOPE_PASSWORD_KEYS=*) line+=$(random base64) ;;
        DURASCOPE_SECRET_KEY=*) line+=$(random)$(random) ;;
        esac
        printf '%s\n' "${line//durascope.example.org/$NAME}"
    done
    [ -z "$ENVIRONMENT" ] || { printf '\n# As it was given\n' && grep '^[A-Z_]*=' "$ENVIRONMENT"; }
}
random() { # 32 bytes, as hexadecimal digits or as a Fernet key
    if [ "${1:-}" = base64 ]; then
        head -c 32 /dev/urandom | base64 -w 0 | tr '+/' '-_'
    else
        head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n'
    fi
}
setting() { [ ! -e $CONFIG/durascope.env ] || sed -n "s/^$1=//p" $CONFIG/durascope.env; }

redis() {
    own_redis && [ ! -e $CONFIG/redis.conf ] || return 0
    local password text
    password=$(setting DURASCOPE_REDIS | sed -n 's|^unix://:\([0-9a-f]*\)@/run/durascope-redis/.*|\1|p')
    text=$(cat "$SOURCE/deploy/redis.conf")
    place $CONFIG/redis.conf 0640 durascope <<<"${text/CHANGE-ME/$password}"
}

# A password over 127.0.0.1, which Debian's PostgreSQL allows without a change of its files. A user who is known without a
# password (peer) would let in the sandboxes of the ordinary worker, because they have the worker's user.
database() {
    own_database || return 0
    thing role durascope make_role
    thing database durascope make_database
}
make_role() {
    local password
    password=$(setting DATABASE_URL | sed 's|^[^:]*://[^:]*:\([^@]*\)@.*|\1|')
    as_postgres psql -qX -v ON_ERROR_STOP=1 <<<"SET log_statement = 'none'; SET log_min_duration_statement = -1;
SET log_min_error_statement = panic; CREATE ROLE durascope LOGIN PASSWORD '$password';"
}
# Sorted by bytes: an upgrade of Debian's languages cannot damage its indexes.
make_database() {
    as_postgres createdb --owner=durascope --encoding=UTF8 --locale=C.UTF-8 --template=template0 durascope
}
