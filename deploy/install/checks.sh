# Refusals before anything is changed. Each says what to do.

as_root_on_debian() {
    [ "$(id -u)" = 0 ] || refuse "Only root can install services. Nothing was changed. Run: sudo deploy/install.sh"
    local system
    system=$(. /etc/os-release && echo "$ID ${VERSION_ID:-}")
    [[ $system =~ ^debian\ (12|13)$ ]] ||
        refuse "This is $system; deploy/install.sh knows Debian 12 and 13 only. Nothing was changed." \
            "docs/deployment.md lists the steps to take by hand (part \"By hand\")."
    [ -d /run/systemd/system ] || refuse "systemd does not run here, so there would be no services. Nothing was changed." \
        "Without systemd use the containers, or deploy a single machine: scripts/demo."
}

check_all() {
    [ ! -x /usr/bin/python3 ] || DURASCOPE_PYTHON=$(python) check_python
    check_source
    check_age
    check_certificate
    check_environment
    check_postgresql
    check_others
    check_ports
    check_name
    check_room
}

# The system's own Python: another one on the PATH may go away, or lie in a home that services cannot read.
python() { echo "${DURASCOPE_PYTHON:-/usr/bin/python3}"; }

check_source() {
    [ "$SOURCE" != "$(readlink -f $PROGRAM)" ] || made folder $PROGRAM || made link $PROGRAM ||
        refuse "The clone lies in $PROGRAM, where the program is installed to. Nothing was changed." \
            "Move the clone to another folder, and start deploy/install.sh there."
}

# A program older than the tables of the database does not start. Without this check the services would be down by then.
check_age() {
    [ -d $PROGRAM/dashboard ] && [ "$SOURCE" != "$(readlink -f $PROGRAM)" ] || return 0
    local lacking
    lacking=$(comm -13 <(migrations_of "$SOURCE") <(migrations_of $PROGRAM))
    [ -z "$lacking" ] ||
        refuse "This program is older than the installed one. It lacks these steps of the database:" "$lacking" \
            "Nothing was changed, and the services go on. Take the newest version, or go back in three steps:" \
            "deploy/install.sh --uninstall --purge, install this version, restore a backup of it (durascope restore)."
}
migrations_of() { (cd "$1/" && find dashboard -path '*/migrations/0*.py' | LC_ALL=C sort); }

check_certificate() {
    [ -n "$CERTIFICATE$KEY" ] || return 0
    local file
    for file in "$CERTIFICATE" "$KEY"; do
        [[ $file =~ ^/[A-Za-z0-9._/@+-]+$ && -r $file ]] ||
            refuse "--certificate and --key must be whole paths of readable files, and '$file' is not. Nothing was changed."
    done
    ! has openssl || [ "$(openssl x509 -in "$CERTIFICATE" -pubkey -noout 2>/dev/null)" = \
        "$(openssl pkey -in "$KEY" -pubout 2>/dev/null)" ] ||
        refuse "The key in $KEY is not that of the certificate in $CERTIFICATE. Nothing was changed."
}

# Its values become those of durascope.env. Those of an installation are never replaced.
check_environment() {
    local name line lacking=()
    if [ -n "$ENVIRONMENT" ]; then
        [[ $ENVIRONMENT == /* && -r $ENVIRONMENT ]] ||
            refuse "--environment must be the whole path of a readable file, and '$ENVIRONMENT' is not. Nothing was changed."
        [ "$(stat -c %a "$ENVIRONMENT")" = 600 ] ||
            refuse "Others can read $ENVIRONMENT. Nothing was changed. Run: chmod 600 $ENVIRONMENT"
        while IFS= read -r line; do # keys end with =, which an IFS of = would take away
            name=${line%%=*}
            [ ! -e $CONFIG/durascope.env ] || [ "$(setting "$name")" = "${line#*=}" ] ||
                refuse "This installation has another $name than $ENVIRONMENT. Nothing was changed." \
                    "Change $CONFIG/durascope.env by hand, then run: systemctl restart 'durascope-*'"
        done < <(grep '^[A-Z_]*=' "$ENVIRONMENT")
    fi
    [ -n "$ONLY_WORKER" ] || return 0
    for name in DATABASE_URL DURASCOPE_REDIS DURASCOPE_PASSWORD_KEYS; do
        [ -n "$(given $name)" ] || lacking+=("$name")
    done
    [ ${#lacking[@]} = 0 ] || refuse "A host with only a worker needs --environment FILE with ${lacking[*]} of the web" \
        "server's host ($CONFIG/durascope.env there). Nothing was changed."
    [ -e $CONFIG/only-worker ] || [ ! -e $CONFIG/durascope.env ] ||
        refuse "This host has the web server. Nothing was changed. Remove it first: deploy/install.sh --uninstall --purge"
}

check_postgresql() {
    own_database && has pg_lsclusters && has psql || return 0
    [ "$(postgres 'SELECT 1')" = 1 ] ||
        refuse "PostgreSQL is installed but does not answer the user postgres. Nothing was changed." \
            "pg_lsclusters shows its state. Start it: systemctl start postgresql"
    local version
    version=$(postgres 'SHOW server_version_num')
    [ "$version" -ge 140000 ] ||
        refuse "The PostgreSQL of this machine is too old ($version): 14 or newer is needed. Nothing was changed."
}

# What has our names but is not in our record.
check_others() {
    local kind name found=()
    while read -r kind name; do
        ! exists "$kind" "$name" || made "$kind" "$name" || found+=("  the $kind $name")
    done < <(wanted_things)
    [ ${#found[@]} = 0 ] || refuse "These are here already and were not made by deploy/install.sh:" "${found[@]}" \
        "Nothing was changed. If they belong to another program, rename or remove them there first." \
        "If they are an installation of Durascope that was made by hand, upgrade it by hand (docs/deployment.md)."
}

wanted_things() {
    made folder $PROGRAM || echo "link $PROGRAM" # a folder until version 0.2
    printf '%s\n' "folder $CONFIG" "folder $RELEASES" "folder $DATA" "user durascope" "user durascope-sandbox" \
        "file $COMMAND"
    ! own_database || printf '%s\n' "role durascope" "database durascope"
    local unit
    for unit in "${OUR_UNITS[@]}"; do echo "file $UNITS/$unit"; done
    [ "$PROXY" = none ] || printf '%s\n' "file $SITE" "link $SITE_ON"
}

# nginx shares its ports among sites, other programs do not.
check_ports() {
    [ "$PROXY" = nginx ] && ! systemctl is-active -q nginx || return 0
    local port
    for port in 80 443; do
        ! listening $port || refuse "A program that is not nginx listens on port $port (ss -ltnp shows it). Nothing was" \
            "changed. Stop it, or use it as the proxy: --proxy none, then see docs/deployment.md, part \"The proxy\"."
    done
}
listening() { cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -qiE "^ *[0-9]+: [0-9A-F]+:$(printf %04X "$1") [0-9A-F:]+ 0A "; }

check_name() {
    if [ -e $CONFIG/durascope.env ]; then
        grep -qxF "DURASCOPE_ADDRESS=https://$NAME" $CONFIG/durascope.env || [ -z "$NAME_GIVEN" ] ||
            refuse "This installation has another name than $NAME. Nothing was changed." \
                "To rename it, change $CONFIG/durascope.env and $SITE, then restart durascope-web and nginx."
    fi
    [ "$PROXY" = nginx ] && [ ! -e $SITE ] || return 0
    ! grep -rqsE "server_name[^;]*[[:space:]]$NAME[[:space:];]" /etc/nginx/sites-enabled /etc/nginx/conf.d ||
        refuse "Another site of nginx has the name $NAME already. Nothing was changed. Give another one with --name."
}

NEEDED_MIB=1024
check_room() {
    local free_mib
    free_mib=$(df --output=avail --block-size=1M /opt | tail -1)
    [ "$free_mib" -ge $NEEDED_MIB ] || { [ -e $PROGRAM ] && [ -z "$UPGRADE" ]; } ||
        refuse "/opt has $free_mib MiB free; the program and its packages need $NEEDED_MIB. Nothing was changed. Make room."
}
