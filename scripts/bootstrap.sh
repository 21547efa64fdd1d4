# Sourced by scripts/demo and scripts/test: installs the missing programs (scripts/programs.sh), and the Python packages
# into .venv.
#   DURASCOPE_PYTHON       the Python to make .venv with (default: python3)
source "$(dirname "${BASH_SOURCE[0]}")/programs.sh"

# bootstrap NEEDS REQUIREMENTS...: installs the missing programs, and the Python packages into .venv.
bootstrap() {
    local needs=$1
    shift
    [ -x .venv/bin/python ] || check_python
    install_packages "$(missing "$needs" && missing_venv)"
    [ -x .venv/bin/python ] || make_environment
    for list in "$@"; do install_requirements "$list"; done
}

python() { echo "${DURASCOPE_PYTHON:-python3}"; }

missing_venv() {
    [ -x .venv/bin/python ] || "$(python)" -c 'import ensurepip, venv' 2>/dev/null ||
        echo 'python3-venv|makes the virtual environment for the Python packages'
}

check_python() {
    "$(python)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
        refuse "Durascope needs Python 3.11 or newer; $(python) is $("$(python)" --version 2>/dev/null || echo missing)." \
            "Nothing was changed. Name another one: DURASCOPE_PYTHON=/path/to/python3 $0"
}

make_environment() {
    say "Making a virtual environment in .venv."
    "$(python)" -m venv --clear .venv >&2 || refuse "The virtual environment could not be made (see above)."
}

# Python packages by hash. A stamp of list and interpreter skips this at the next start.
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
