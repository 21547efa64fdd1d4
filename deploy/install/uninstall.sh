# The removal: all that the record lists, the newest first. Each line goes when its thing is gone, so that a removal that
# stopped goes on.

uninstall() {
    [ -e $RECORD ] || refuse "There is no installation of deploy/install.sh here ($RECORD is missing). Nothing was changed."
    [ -n "$PURGE" ] || take_back # without its program it could not be
    local left
    left=$(cut -d' ' -f1,2 $RECORD)
    check_mounts
    act "stop the services" end_units
    while read -r kind name; do
        [ "$kind" != package ] || continue
        if [ "$name" = $CONFIG ] || { [ -z "$PURGE" ] && is_data "$kind" "$name"; }; then continue; fi
        act "remove the $kind $name" removed "$kind" "$name"
    done < <(tac <<<"$left")
    [ -n "$DRY_RUN" ] || ! systemctl is-active -q nginx || systemctl reload nginx
    [ -z "$PURGE" ] || act "remove the folder $CONFIG" rm -r $CONFIG
    what_stays "$left"
}

removed() {
    ! exists "$1" "$2" || remove_thing "$1" "$2"
    grep -vxF "$1 $2" $RECORD >$RECORD.new
    mv $RECORD.new $RECORD
}

is_data() {
    case "$1 $2" in
    "user "* | "role "* | "database "* | "folder $DATA" | "file $CONFIG/"*) true ;;
    *) false ;;
    esac
}

# The services see $DATA and the home as mounts of their own (ReadWritePaths).
check_mounts() {
    ! grep -qs " $DATA/sandboxes/" /proc/[0-9]*/mounts ||
        refuse "A simulated disk of a sandbox is still mounted (grep -s $DATA/sandboxes/ /proc/*/mounts)." \
            "Nothing was removed. End its experiment, or unmount it by hand, then run this again."
}

end_units() {
    local unit
    for unit in $(cd $UNITS/multi-user.target.wants && ls -d durascope-worker*@*.service 2>/dev/null) \
        durascope-beat.service durascope-web.service durascope-web.socket durascope-redis.service; do
        systemctl disable --quiet --now "$unit" 2>/dev/null || true
    done
    systemctl stop 'durascope-*' 2>/dev/null || true
    rm -rf /run/durascope
}

what_stays() {
    local packages database=''
    packages=$(sed -n 's/^package //p' <<<"$1" | tr '\n' ' ')
    [ -n "$DRY_RUN" ] || systemctl daemon-reload
    [ -z "$DRY_RUN" ] || say "" "Nothing was changed."
    [[ $1 != *"database durascope"* ]] || database='database and role durascope, ' # else it is SQLite, or somebody else's
    [ -n "$PURGE" ] || say "The data stay: $database$DATA, the keys in $CONFIG, and the two users." \
        "deploy/install.sh takes them up again. To remove them too: deploy/install.sh --uninstall --purge"
    [ -z "$packages" ] || say "Packages that were installed for Durascope stay. If nothing else needs them:" \
        "  apt-get purge $packages && apt-get autoremove --purge"
    say "The journal keeps the logs (journalctl --vacuum-time=1s removes those of all programs)."
}
