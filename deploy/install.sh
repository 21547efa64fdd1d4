#!/usr/bin/env bash
# Installs Durascope for a team on this machine. See docs/deployment.md, or deploy/install.sh --help.
set -Eeuo pipefail
SOURCE=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
cd "$SOURCE"
umask 022 # services of other users read what is made here
source scripts/bootstrap.sh
for part in things chosen checks steps releases services upgrade uninstall; do source "deploy/install/$part.sh"; done

HELP="deploy/install.sh: installs Durascope on this machine (Debian 12 or 13 with systemd), as root. A second run changes
nothing, or goes on where the first one stopped. Options that are given later are applied, or refused.

  --name HOST          the name under which browsers reach it (default: this machine's)
  --admin NAME         the first administrator (default: admin)
  --worker KIND        ordinary: measures, and kills sandboxes (default)
                       root: also power losses and simulated disks; only on a host that is for measuring
                       none: the workers are on other hosts
  --proxy KIND         nginx (default), or none: you have a proxy of your own
  --certificate FILE   with --key FILE: the certificate of that name (default: makes one that browsers warn about)
  --environment FILE   a durascope.env of your own (mode 0600). What it names is not made here: with DATABASE_URL no
                       PostgreSQL, with DURASCOPE_REDIS no Redis
  --only-worker        this host has only a worker. FILE names DATABASE_URL, DURASCOPE_REDIS and DURASCOPE_PASSWORD_KEYS
                       of the web server's host
  --site NAME          the site of the worker (default: local)
  --upgrade            replace the program of an earlier installation by this one. It is prepared beside the old one;
                       if anything fails, the old one and its database are put back
  --dry-run            only say what would be done
  --uninstall          remove the program, its services and the proxy's site; the data stay
  --uninstall --purge  remove the data too: database, keys, results, accounts of this machine"

main() {
    options "$@"
    as_root_on_debian
    chosen
    exec 9>/run/durascope-install.lock
    flock --nonblock 9 || refuse "Another deploy/install.sh is running. Wait until it has ended. Nothing was changed."
    trap stopped ERR
    if [ -n "$UNINSTALL" ]; then uninstall; else install_everything; fi
}

NAME='' ADMIN='' WORKER='' PROXY='' CERTIFICATE='' KEY='' UPGRADE='' DRY_RUN='' UNINSTALL='' PURGE='' NAME_GIVEN=''
ENVIRONMENT='' ONLY_WORKER='' SITE_OF_WORKER=''
options() {
    while [ $# != 0 ]; do
        case $1 in
        --help | -h) echo "$HELP" && exit ;;
        --upgrade) UPGRADE=yes ;;
        --dry-run) DRY_RUN=yes ;;
        --uninstall) UNINSTALL=yes ;;
        --purge) PURGE=yes ;;
        --only-worker) ONLY_WORKER=yes ;;
        --name | --admin | --worker | --proxy | --certificate | --key | --environment | --site)
            [ -n "${2:-}" ] || refuse "$1 needs a value. Nothing was changed. See deploy/install.sh --help."
            local variable=${1#--}
            [ "$variable" != site ] || variable=site_of_worker
            printf -v "${variable^^}" %s "$2"
            shift
            ;;
        *) refuse "Unknown option $1. Nothing was changed. See deploy/install.sh --help." ;;
        esac
        shift
    done
    [ -z "$PURGE" ] || [ -n "$UNINSTALL" ] || refuse "--purge needs --uninstall. Nothing was changed."
    [[ $WORKER =~ ^(ordinary|root|none)?$ ]] || refuse "--worker is ordinary, root or none. Nothing was changed."
    [[ $PROXY =~ ^(nginx|none)?$ ]] || refuse "--proxy is nginx or none. Nothing was changed."
    [[ $SITE_OF_WORKER =~ ^([a-z0-9][a-z0-9-]{0,31})?$ ]] || refuse "--site is small letters, digits and -. Nothing was changed."
    [[ $ADMIN =~ ^[A-Za-z0-9_.@+-]{0,150}$ ]] || refuse "--admin is letters, digits and @.+-_ only. Nothing was changed."
    host_name
}

host_name() {
    NAME_GIVEN=$NAME
    NAME=${NAME:-$(hostname --fqdn 2>/dev/null || hostname)}
    NAME=${NAME,,}
    [[ ${#NAME} -le 253 && $NAME =~ ^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$ ]] ||
        refuse "$NAME is not a host name. Nothing was changed. Give one: --name durascope.example.org"
}

install_everything() {
    take_back
    check_all
    packages
    record_begins
    users
    folders
    program
    environment
    redis
    database
    change_begins
    units
    migrations
    administrator
    proxy
    starting
    services
    change_ends
    tell
}

stopped() {
    [ $BASHPID = $$ ] && [ -z "$DOWN_SINCE" ] || return 0 # a part of a command; an upgrade goes back by itself
    [ -z "$DRY_RUN" ] || refuse "" "deploy/install.sh stopped (see above). Nothing was changed."
    say "" "deploy/install.sh stopped (see above)." \
        "The steps before it are done. Remove the cause and run it again: it goes on from here."
}

main "$@"
