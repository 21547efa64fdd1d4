#!/usr/bin/env bash
# Installs Durascope for a team on this machine. See docs/deployment.md, or deploy/install.sh --help.
set -Eeuo pipefail
SOURCE=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
cd "$SOURCE"
umask 022 # services of other users read what is made here
source scripts/bootstrap.sh
for part in things checks steps services uninstall; do source "deploy/install/$part.sh"; done

HELP="deploy/install.sh: installs Durascope on this machine (Debian 12 or 13 with systemd), as root. A second run changes
nothing, or goes on where the first one stopped.

  --name HOST          the name under which browsers reach it (default: this machine's)
  --admin NAME         the first administrator (default: admin)
  --worker KIND        ordinary: measures, and kills sandboxes (default)
                       root: also power losses and simulated disks; only on a host that is for measuring
                       none: the workers are on other hosts
  --proxy KIND         nginx (default), or none: you have a proxy of your own
  --certificate FILE   with --key FILE: the certificate of that name (default: makes one that browsers warn about)
  --upgrade            replace the program of an earlier installation by this one; take a backup first
  --dry-run            only say what would be done
  --uninstall          remove the program, its services and the proxy's site; the data stay
  --uninstall --purge  remove the data too: database, keys, results, accounts of this machine"

main() {
    options "$@"
    as_root_on_debian
    exec 9>/run/durascope-install.lock
    flock --nonblock 9 || refuse "Another deploy/install.sh is running. Wait until it has ended. Nothing was changed."
    trap stopped ERR
    if [ -n "$UNINSTALL" ]; then uninstall; else install_everything; fi
    rm -f /run/durascope-install.lock
}

NAME='' ADMIN=admin WORKER='' PROXY=nginx CERTIFICATE='' KEY='' UPGRADE='' DRY_RUN='' UNINSTALL='' PURGE='' NAME_GIVEN=''
options() {
    while [ $# != 0 ]; do
        case $1 in
        --help | -h) echo "$HELP" && exit ;;
        --upgrade) UPGRADE=yes ;;
        --dry-run) DRY_RUN=yes ;;
        --uninstall) UNINSTALL=yes ;;
        --purge) PURGE=yes ;;
        --name | --admin | --worker | --proxy | --certificate | --key)
            [ -n "${2:-}" ] || refuse "$1 needs a value. Nothing was changed. See deploy/install.sh --help."
            local variable=${1#--}
            printf -v "${variable^^}" %s "$2"
            shift
            ;;
        *) refuse "Unknown option $1. Nothing was changed. See deploy/install.sh --help." ;;
        esac
        shift
    done
    [ -z "$PURGE" ] || [ -n "$UNINSTALL" ] || refuse "--purge needs --uninstall. Nothing was changed."
    [[ $WORKER =~ ^(ordinary|root|none)?$ ]] || refuse "--worker is ordinary, root or none. Nothing was changed."
    [[ $PROXY =~ ^(nginx|none)$ ]] || refuse "--proxy is nginx or none. Nothing was changed."
    [[ $ADMIN =~ ^[A-Za-z0-9_.@+-]{1,150}$ ]] || refuse "--admin is letters, digits and @.+-_ only. Nothing was changed."
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
    check_all
    packages
    record_begins
    users
    folders
    program
    environment
    redis
    database
    units
    migrations
    administrator
    proxy
    services
    tell
}

stopped() {
    [ $BASHPID = $$ ] || return 0 # a part of a command
    [ -z "$DRY_RUN" ] || refuse "" "deploy/install.sh stopped (see above). Nothing was changed."
    say "" "deploy/install.sh stopped (see above)." \
        "The steps before it are done. Remove the cause and run it again: it goes on from here."
}

main "$@"
