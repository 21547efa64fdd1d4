# The change from the release that runs to a prepared one. Until it has ended, a file says how to go back; so a run that
# was killed is taken back by the next one.

UNDER_WAY=$CONFIG/upgrade # lines: old FOLDER, new FOLDER, ran UNIT..., migrating, started
EARLIER=$RELEASES/earlier # the program of version 0.2, which was a folder in the place of the link
DOWN_SINCE=''

is_upgrade() { [ -e $PROGRAM ] && [ "$(readlink -f $PROGRAM)" != "$RELEASE" ]; }

change_begins() {
    is_upgrade || return 0
    act "stop the services, and change to $RELEASE" change
}
change() {
    local old=$EARLIER pending=''
    [ ! -L $PROGRAM ] || old=$(readlink -f $PROGRAM)
    [ -n "$ONLY_WORKER" ] || of_release "$RELEASE" migrate --check >/dev/null 2>&1 || pending=yes
    printf '%s\n' "old $old" "new $RELEASE" "ran $(running_units)" >$UNDER_WAY.new
    note file $UNDER_WAY
    mv $UNDER_WAY.new $UNDER_WAY # from now on there is a way back
    trap ended EXIT
    trap 'exit 130' INT TERM HUP PIPE
    DOWN_SINCE=$SECONDS
    say "  Down from now on: the web pages, the scheduler and the worker of this host. An experiment that runs here is" \
        "  interrupted; resume it on its page."
    stop_units
    if [ -n "$pending" ]; then
        of_release "$RELEASE" snapshot "$(kept_database)" >&2
        echo migrating >>$UNDER_WAY
    fi
    point_to "$RELEASE"
}
running_units() {
    systemctl list-units --plain --no-legend --state=active,activating 'durascope-w*' 'durascope-beat*' |
        cut -d' ' -f1 | tr '\n' ' '
}
kept_database() { echo "$(setting DURASCOPE_HOME)/before-upgrade"; }
told() { sed -n "s/^$1 *//p" $UNDER_WAY; } # a line of the file

point_to() { # FOLDER
    [ -L $PROGRAM ] || [ ! -d $PROGRAM ] || { rm -rf --one-file-system $EARLIER && mv -T $PROGRAM $EARLIER; }
    ln -sfT "$1" $PROGRAM.new && mv -T $PROGRAM.new $PROGRAM
}

starting() { [ -z "$DOWN_SINCE" ] || echo started >>$UNDER_WAY; }

change_ends() {
    [ -n "$DOWN_SINCE" ] || return 0
    answers
    forget_older
    trap - EXIT INT TERM HUP PIPE
    say "  Durascope answers again. It was down for $((SECONDS - DOWN_SINCE)) s."
}
# The release before stays until the next upgrade.
forget_older() {
    local old new release
    old=$(told old) new=$(told new)
    rm $UNDER_WAY
    for release in $RELEASES/*; do
        [ "$release" = "$new" ] || [ "$release" = "$old" ] || rm -rf --one-file-system "$release"
    done
}

ended() {
    local status=$?
    trap - ERR EXIT
    trap '' INT TERM HUP PIPE
    set +e
    say "" || exec >/dev/null 2>&1 # a terminal that went must not stop the commands that write to it
    go_back
    exit $status
}

# In the release before, all is as it was: program, units, command, database.
go_back() {
    local old new
    old=$(told old) new=$(told new)
    say "Going back to the version before."
    stop_units
    if grep -qx migrating $UNDER_WAY && ! of_release "$new" snapshot --put-back "$(kept_database)" >&2; then
        say "The database of before the upgrade could not be put back (see above): it is in $(kept_database)." \
            "The services stay down. Remove the cause and run deploy/install.sh again: it goes back then."
        return 1
    fi
    [ ! -e "$old" ] || point_to "$old" || return 1
    units_of "$(readlink -f $PROGRAM)" || true
    # shellcheck disable=SC2046 # one word per unit
    [ -z "$(told ran)" ] || systemctl start $(told ran) || return 1
    rm $UNDER_WAY
    say "The version before runs again, and the database is as it was.${DOWN_SINCE:+ It was down for $((SECONDS - DOWN_SINCE)) s.}"
}

# An upgrade that was cut off, by a kill or with the machine. A new version that started may have run since: if it answers,
# it stays; else its database is kept before the one from before the upgrade is put back.
take_back() {
    [ -e $UNDER_WAY ] || return 0
    if [ ! -d "$(told new)" ]; then
        act "forget an upgrade that was cut off: its program was removed" forget_removed
    elif ! grep -qx started $UNDER_WAY; then
        act "go back, because an upgrade was cut off" go_back
    elif [ "$(readlink -f $PROGRAM)" = "$(told new)" ] && (answers); then
        act "end the upgrade that was cut off: the new version answers" forget_older
    else
        act "go back, because an upgrade was cut off and the new version does not answer" keep_and_go_back
    fi
}
forget_removed() {
    rm $UNDER_WAY
    say "  If its database does not fit this version, that of before it may be in $(kept_database) (docs/deployment.md)."
}
keep_and_go_back() {
    stop_units
    of_release "$(told new)" snapshot "$(setting DURASCOPE_HOME)/after-upgrade" >&2
    go_back
}
