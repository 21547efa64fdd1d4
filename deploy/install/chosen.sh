# What this host has: chosen by options, else as it was chosen before.

chosen() {
    local before
    before=$(setting DURASCOPE_ADDRESS)
    [ -n "$NAME_GIVEN" ] || [[ ! $before =~ ^https://([a-z0-9.-]+)$ ]] || NAME=${BASH_REMATCH[1]}
    [ ! -e $CONFIG/only-worker ] || ONLY_WORKER=yes
    if [ -n "$ONLY_WORKER" ]; then
        [ -z "$NAME_GIVEN$ADMIN$PROXY$CERTIFICATE$KEY" ] && [ "$WORKER" != none ] ||
            refuse "A host with only a worker has no name, proxy, certificate or administrator. Nothing was changed."
        PROXY=none
    fi
    PROXY=${PROXY:-$(proxy_before)}
    [ -z "$CERTIFICATE$KEY" ] || [ "$PROXY" = nginx ] ||
        refuse "--certificate is for nginx, and this installation has a proxy of your own. Nothing was changed." \
            "Give the certificate to your proxy, or add --proxy nginx."
}

proxy_before() {
    if [ -e $CONFIG/proxy ]; then
        cat $CONFIG/proxy
    elif [ -e $CONFIG/durascope.env ] && [ ! -e $SITE ]; then # of version 0.2, which did not note it
        echo none
    else
        echo nginx
    fi
}

# given NAME: its value in durascope.env, else in the file of --environment. Status 1: neither names it.
given() {
    local file
    for file in $CONFIG/durascope.env "$ENVIRONMENT"; do
        if [ -e "$file" ] && grep -q "^$1=" "$file"; then
            sed -n "s/^$1=//p" "$file" | tail -1
            return
        fi
    done
    return 1
}

# Made here, or not yet: else it belongs to somebody else.
own_database() {
    local url
    ! url=$(given DATABASE_URL) || [[ $url =~ ^postgresql://durascope:[0-9a-f]{64}@127\.0\.0\.1:[0-9]+/durascope$ ]]
}
own_redis() {
    local url
    ! url=$(given DURASCOPE_REDIS) || [[ $url =~ ^unix://:[0-9a-f]*@/run/durascope-redis/redis\.sock$ ]]
}

# The worker of this host: the name of its unit, its kind (ordinary, root, none), and both as they shall be.
present_worker() {
    (cd $UNITS/multi-user.target.wants 2>/dev/null && compgen -G 'durascope-worker*@*.service' | head -1) || true
}
worker_kind() {
    case $WORKER:$(present_worker) in
    ?*:*) echo "$WORKER" ;;
    :durascope-worker-root@*) echo root ;;
    :?*) echo ordinary ;;
    *) cat $CONFIG/worker 2>/dev/null || { [ -e $CONFIG/durascope.env ] && echo none; } || echo ordinary ;;
    esac
}
worker_unit() { # KIND
    local site present
    present=$(present_worker)
    site=${present#*@} site=${SITE_OF_WORKER:-${site%.service}}
    case $1 in
    root) echo "durascope-worker-root@${site:-local}.service" ;;
    ordinary) echo "durascope-worker@${site:-local}.service" ;;
    esac
}
