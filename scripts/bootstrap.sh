# Sourced by scripts/demo and scripts/test: what the machine lacks is said, with the reason, and then installed.
# The packages hold programs without services: nothing is started, and whatever the machine runs is left alone.
#   DURASCOPE_INSTALL=no   install no packages, only say which are missing
#   DURASCOPE_PYTHON       the Python to make .venv with (default: python3)
# Everything is printed to standard error: standard output belongs to the caller's result.

export PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin" # mariadbd is there, and most users do not look there

# program or file | its package on Debian and Ubuntu | why
RUNNING_NEEDS='mariadbd|mariadb-server-core|the sandbox server: MariaDB without its service
mariadb-install-db|mariadb-server-core|the sandbox server: MariaDB without its service
my_print_defaults|mariadb-client-core|initialises a sandbox
sysbench|sysbench|makes the load
redis-server|redis-tools|Redis without its service: doorbells and live data
setpriv|util-linux|ties every child process to its parent
mkfs.ext4|e2fsprogs|makes the disk that loses power in crash trials
gcc|gcc|builds the trace of fsync calls
/usr/include/stdio.h|libc6-dev|builds the trace of fsync calls'
TESTING_NEEDS='chromium|chromium|the browser tests
strace|strace|the tests count fsync calls a second way
initdb|postgresql|the tests run on PostgreSQL too, a private one without its service
mariadb-binlog|mariadb-client|the tests compare our binlog reader with that of the vendor
nginx|nginx|the tests put our examples of a proxy in front of the web server
caddy|caddy|the tests put our examples of a proxy in front of the web server
ip|iproute2|the tests join two hosts by a network of their own'
VENV_NEED='python3-venv|makes the virtual environment for the Python packages'

# bootstrap NEEDS REQUIREMENTS...: afterwards the programs are there, and .venv holds the Python packages.
bootstrap() {
    local needs=$1
    shift
    [ -x .venv/bin/python ] || check_python
    install_packages "$(missing "$needs")"
    [ -x .venv/bin/python ] || make_environment
    for list in "$@"; do install_requirements "$list"; done
}

say() { printf '%s\n' "$@" >&2; }
refuse() {
    say "$@"
    exit 2
}

# Lines "package|why" for what is not there.
missing() {
    local program package_and_why
    while IFS='|' read -r program package_and_why; do
        is_there "$program" || echo "$package_and_why"
    done <<<"$1"
    [ -x .venv/bin/python ] || "$(python)" -c 'import ensurepip, venv' 2>/dev/null || echo "$VENV_NEED"
}

is_there() {
    case $1 in
    /*) [ -e "$1" ] ;;
    redis-server) has redis-server || has redis-check-rdb ;; # the same program: see dashboard/local/redis.py
    initdb) has initdb || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null ;; # off the PATH, by version
    chromium) has chromium || has chromium-browser || has google-chrome ;;
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
            "Nothing was changed. As root, run:" "  apt-get install --no-install-recommends $packages" \
            "and start again."
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

# Some packages start something when they are installed, unless a file says no; it stays for that long. PostgreSQL's
# makes a cluster; clusters that are there are left alone. Those of the proxies start their service.
SERVICES='nginx caddy'
NO_CLUSTER=/etc/postgresql-common/createcluster.d/durascope.conf
NO_SERVICE=/usr/sbin/policy-rc.d
refuse_services() {
    case $1 in *" postgresql "*) forbid $NO_CLUSTER 'create_main_cluster = false' ;; esac
    local service
    for service in $SERVICES; do
        # shellcheck disable=SC2016 # the file's own
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
not_at_boot() { # caddy's is known to systemd alone
    if has systemctl; then
        "${as_root[@]}" systemctl disable "$1" >&2 || true
    elif has update-rc.d; then
        "${as_root[@]}" update-rc.d "$1" disable >&2 || true
    fi
}

apt_get() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l \
        apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" </dev/null >&2
}

python() { echo "${DURASCOPE_PYTHON:-python3}"; }

check_python() {
    "$(python)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
        refuse "Durascope needs Python 3.11 or newer; $(python) is $("$(python)" --version 2>/dev/null || echo missing)." \
            "Nothing was changed. Name another one: DURASCOPE_PYTHON=/path/to/python3 $0"
}

make_environment() {
    say "Making a virtual environment in .venv."
    "$(python)" -m venv --clear .venv >&2 || refuse "The virtual environment could not be made (see above)."
}

# Python packages by hash. A stamp of the list and the interpreter makes the next start cost nothing.
install_requirements() {
    local stamp=.venv/installed-${1//\//-} wanted
    wanted="$(readlink -f .venv/bin/python) $(sha256sum "$1")"
    [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ] || return 0
    say "Installing the Python packages of $1 into .venv."
    .venv/bin/python -m pip install -q --disable-pip-version-check --no-input --require-hashes -r "$1" \
        </dev/null >&2 ||
        refuse "pip failed (see above). Nothing outside .venv was changed; it can be deleted at any time."
    printf '%s' "$wanted" >"$stamp"
}
