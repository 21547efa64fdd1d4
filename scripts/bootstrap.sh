# Sourced by the other scripts: installs the missing programs (scripts/programs.sh), and the Python packages
# into .venv.
#   DURASCOPE_PYTHON       the Python to make .venv with (default: python3)
source "$(dirname "${BASH_SOURCE[0]}")/programs.sh"

# bootstrap NEEDS REQUIREMENTS...: installs the missing programs, and the Python packages into .venv.
bootstrap() {
    local needs=$1
    shift
    has_environment || check_python
    install_packages "$(missing "$needs" && missing_venv)"
    has_environment || make_environment
    for list in "$@"; do install_requirements "$list"; done
}

python() { echo "${DURASCOPE_PYTHON:-python3}"; }

# Whether .venv is whole and of the Python that it was made with. It is half made where python3-venv was missing, or where
# making it was interrupted: it has a Python, but its pip does not work and has installed nothing.
has_environment() {
    [ -x .venv/bin/python ] &&
        { grep -qsF "$(readlink -f .venv/bin/python) " .venv/installed-* || .venv/bin/python -m pip --version >/dev/null 2>&1; }
}

missing_venv() {
    has_environment || "$(python)" -c 'import ensurepip, venv' 2>/dev/null ||
        echo 'python3-venv|makes the virtual environment for the Python packages'
}

check_python() {
    "$(python)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
        refuse "Durascope needs Python 3.11 or newer; $(python) is $("$(python)" --version 2>/dev/null || echo missing)." \
            "Nothing was changed. Name another one: DURASCOPE_PYTHON=/path/to/python3 $0"
}

make_environment() {
    say "Making a virtual environment in .venv."
    "$(python)" -m venv --clear .venv >&2 ||
        refuse "The virtual environment could not be made (see above). Nothing outside .venv was changed."
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
