# Each release of the program has a folder of its own, which is prepared while the one before runs: program, Python
# packages by hash, compiled and static files. $PROGRAM is a link to the release that runs. Services cannot write here.

RELEASE='' # the folder of this program

name_release() {
    local version
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$SOURCE/pyproject.toml")
    # A dry run may have no Python yet.
    RELEASE=$RELEASES/$version-$({ digest "$SOURCE" && { "$(python)" --version 2>&1 || true; }; } | sha256sum | cut -c1-12)
}

program() {
    name_release
    # A run before this one may have had another umask.
    [ -z "$(find "$RELEASE" ! -type l ! -perm -o=r -print -quit 2>/dev/null)" ] ||
        act "let the services read $RELEASE" chmod -R u=rwX,go=rX "$RELEASE"
    [ "$(readlink -f $PROGRAM)" != "$RELEASE" ] || return 0
    if [ -e $PROGRAM ] && [ -z "$UPGRADE" ] && [ "$(digest "$SOURCE")" != "$(digest_of_installed)" ]; then
        refuse "Another version of the program is installed in $PROGRAM. It was left as it is." \
            "To replace it by this one: deploy/install.sh --upgrade"
    fi
    [ -e "$RELEASE/.ready" ] || act "prepare the program in $RELEASE" prepare
    [ -e $PROGRAM ] || thing link $PROGRAM ln -sT "$RELEASE" $PROGRAM
}
digest_of_installed() { cat $PROGRAM/.ready $PROGRAM/.complete 2>/dev/null || true; } # .complete: until version 0.2
digest() {
    (cd "$1" && find "${PARTS[@]}" -type f ! -name '*.pyc' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum)
}

# The file .ready comes last.
prepare() {
    rm -rf --one-file-system "$RELEASE"
    local step
    for step in copy_parts python_packages static_files; do
        "$step" || { rm -rf --one-file-system "$RELEASE" && refuse "${WHY[$step]}" "$(what_runs)"; }
    done
    digest "$SOURCE" >"$RELEASE/.new"
    sync -f "$RELEASE"
    mv "$RELEASE/.new" "$RELEASE/.ready"
}
declare -A WHY=(
    [copy_parts]="The program could not be copied to $RELEASES (see above). Make room there."
    [python_packages]="pip could not install the Python packages (see above). Check the network: pip needs a package index, through https_proxy if this machine has a proxy."
    [static_files]="The program does not start (see above)."
)
what_runs() {
    [ ! -e $PROGRAM ] || echo "The installed version runs on; nothing else was changed."
    echo "Then run this again: it goes on from here."
}
copy_parts() {
    install -d -m 0755 "$RELEASE" && tar -C "$SOURCE" --exclude=__pycache__ -c "${PARTS[@]}" |
        tar -C "$RELEASE" --no-same-owner -xp && chmod -R u=rwX,go=rX "$RELEASE" &&
        "$(python)" -m compileall -q "$RELEASE/dashboard" "$RELEASE/workers"
}
python_packages() {
    "$(python)" -m venv --clear "$RELEASE/.venv" && "$RELEASE/.venv/bin/python" -m pip install -q \
        --disable-pip-version-check --no-input --require-hashes -r "$RELEASE/requirements.txt" </dev/null >&2
}
# Also shows that the program starts with its packages. It has no database and no keys here.
static_files() {
    local home verb status=0
    home=$(mktemp -d) && install -d -m 0755 "$RELEASE/staticfiles" || return
    for verb in check 'collectstatic --noinput --verbosity 0'; do
        # shellcheck disable=SC2086 # words of one command
        env -i PATH="$PATH" HOME="$home" DURASCOPE_HOME="$home" "$RELEASE/.venv/bin/python" "$RELEASE/manage.py" $verb >&2 ||
            status=1
    done
    rm -rf "$home"
    chmod -R go=rX "$RELEASE/staticfiles"
    return $status
}

# A command of a release, with the environment and as the user of the installation.
of_release() { # FOLDER VERB...
    (umask 077 && cd "$1" && exec sh "$1/deploy/durascope" "${@:2}")
}
