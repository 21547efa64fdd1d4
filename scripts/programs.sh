# Sourced by scripts/bootstrap.sh, and by the command `durascope programs` of the installed package. It names the packages
# that the machine lacks, with the reason, and installs them. No service is started, and running programs are left alone.
#   bash scripts/programs.sh PACKAGE...   installs these, as root
#   DURASCOPE_INSTALL=no   install no packages, only name the missing ones
# Everything is printed to standard error: standard output belongs to the caller's result.

export LC_ALL=C.UTF-8 # LANG may name a locale that was not generated: initdb, Redis and others refuse to start then
export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin" # mariadbd lies there, and the PATH of most users lacks these folders

# program or file | its package on Debian and Ubuntu | why
RUNNING_NEEDS='mariadbd|mariadb-server-core|the sandbox server: MariaDB without its service
mariadb-install-db|mariadb-server-core|the sandbox server: MariaDB without its service
my_print_defaults|mariadb-client-core|initialises a sandbox
sysbench|sysbench|generates the load
redis-server|redis-tools|Redis without its service: tasks and live figures
setpriv|util-linux|ends child processes with their parent
mkfs.ext4|e2fsprogs|the simulated disk that loses power in crash trials
gcc|gcc|compiles the trace of fsync calls
/usr/include/stdio.h|libc6-dev|compiles the trace of fsync calls'
CHROMIUM=chromium # the shell needs less processor time; Ubuntu has none
grep -qsx 'ID=debian' /etc/os-release && CHROMIUM=chromium-headless-shell
TESTING_NEEDS="chromium|$CHROMIUM|the browser tests"'
strace|strace|the tests count fsync calls in a second way
initdb|postgresql|the tests run on PostgreSQL too, a private one without its service
mariadb-binlog|mariadb-client|the tests compare our binlog reader with this one
nginx|nginx|the tests run deploy/nginx.conf
caddy|caddy|the tests run deploy/Caddyfile
ip|iproute2|the tests join two simulated hosts by a network
promtool|prometheus|the tests try the alerts of deploy/prometheus'
DOORS_NEED='podman|podman|the tests build and run the images of containers
podman-compose|podman-compose|the tests run deploy/compose.yaml
mmdebstrap|mmdebstrap|the tests make the base of these images
runc|runc|the tests run containers also where crun refuses mixed control groups
/usr/lib/podman/netavark|netavark|the network of containers
/usr/lib/podman/aardvark-dns|aardvark-dns|the names of containers in their network
iptables|iptables|the rules of that network: netavark of Debian 12 calls it, and no package depends on it
systemd-nspawn|systemd-container|the tests run deploy/install.sh in a Debian of its own'

# help_only ARGUMENTS...: with --help among them, prints the comment at the top of the script and ends. Nothing is installed.
help_only() {
    local word
    for word; do
        case $word in --help | -h) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "scripts/${0##*/}" && exit ;; esac
    done
}

say() { printf '%s\n' "$@" >&2; }
refuse() {
    say "$@"
    exit 2
}

# Prints a line "package|why" for each missing program.
missing() {
    local program package_and_why
    while IFS='|' read -r program package_and_why; do
        [ -z "$program" ] || is_there "$program" || echo "$package_and_why"
    done <<<"$1"
}

is_there() {
    case $1 in
    /*) [ -e "$1" ] ;;
    redis-server) has redis-server || has redis-check-rdb ;; # the same program, see dashboard/local/redis.py
    initdb) has initdb || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null ;; # not on the PATH, one folder per version
    chromium) has chromium-headless-shell || has chromium || has chromium-browser || has google-chrome ;;
    *) has "$1" ;;
    esac
}

has() { command -v "$1" >/dev/null; }

install_packages() {
    [ -n "$1" ] || return 0
    local lines package why packages service as_root=()
    lines=$(sort -u <<<"$1")
    packages=$(cut -d'|' -f1 <<<"$lines" | sort -u | tr '\n' ' ')
    say "Durascope needs packages that this machine does not have:"
    while IFS='|' read -r package why; do say "$(printf '  %-20s  %s' "$package" "$why")"; done <<<"$lines"
    [ "${DURASCOPE_INSTALL:-yes}" != no ] || refuse "Nothing was installed (DURASCOPE_INSTALL=no)."
    has apt-get || refuse "There is no apt-get here: install these programs by hand, then start again." \
        "Nothing was changed."
    if [ "$(id -u)" != 0 ]; then
        has sudo || refuse "Only root can install them; this user is not root, and there is no sudo." \
            "Nothing was changed. As root, run:" "  $(by_root "$packages")" "and start again."
        as_root=(sudo)
    fi
    say "Installing them with apt-get; no service is started."
    trap allow_services EXIT
    refuse_services " $packages"
    # shellcheck disable=SC2086 # one word per package
    { apt_get update && apt_get install --yes --no-install-recommends $packages; } ||
        refuse "apt-get failed (see above). Install the packages by hand, then start again."
    for service in $SERVICES; do case " $packages" in *" $service "*) not_at_boot "$service" ;; esac done
    allow_services && trap - EXIT
}

# What root must run. Of a package with a service, apt-get alone would start it.
by_root() {
    local service
    for service in $SERVICES postgresql; do
        case " $1" in *" $service "*) echo "bash $(readlink -f "${BASH_SOURCE[0]}") ${1% }" && return ;; esac
    done
    echo "apt-get update && apt-get install --no-install-recommends ${1% }"
}

# Some packages start a service at installation unless a file forbids it. The file is removed afterwards. PostgreSQL
# would make a cluster; existing clusters are left alone. The proxies, podman and prometheus would start theirs.
SERVICES='nginx caddy podman prometheus'
NO_CLUSTER=/etc/postgresql-common/createcluster.d/durascope.conf
NO_SERVICE=/usr/sbin/policy-rc.d
refuse_services() {
    case $1 in *" postgresql "*) forbid $NO_CLUSTER 'create_main_cluster = false' ;; esac
    local service
    for service in $SERVICES; do
        # shellcheck disable=SC2016 # the text of the file, not a variable
        case $1 in *" $service "*) [ -e $NO_SERVICE ] || forbid $NO_SERVICE '#!/bin/sh' 'exit 101' ;; esac
    done
}
FORBIDDEN=()
forbid() {
    local file=$1
    shift
    FORBIDDEN+=("$file")
    printf '%s\n' "$@" | "${as_root[@]}" sh -c "mkdir -p ${file%/*} && cat >$file && chmod 0755 $file"
}
allow_services() { [ ${#FORBIDDEN[@]} = 0 ] || "${as_root[@]}" rm -f "${FORBIDDEN[@]}"; }
not_at_boot() { # only systemd knows the services of caddy and podman
    local units=$1
    [ "$1" != podman ] || units='podman.socket podman podman-restart podman-auto-update.timer'
    if has systemctl; then
        # shellcheck disable=SC2086 # one word per unit
        "${as_root[@]}" systemctl disable $units >&2 || true
    elif has update-rc.d; then
        "${as_root[@]}" update-rc.d "$1" disable >&2 || true
    fi
}

# The packages' own scripts make files for everybody, whatever the umask here.
apt_get() (
    umask 022
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l \
        apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" </dev/null >&2
)

if [ "${BASH_SOURCE[0]}" = "$0" ] && [ $# != 0 ]; then
    set -euo pipefail
    install_packages "$(printf '%s|asked for\n' "$@")"
fi
