# The steps from the units to the first login.

COMMAND=/usr/local/sbin/durascope
SITE_READ=$CONFIG/nginx-has-read-the-site
OUR_UNITS=(durascope-web.socket durascope-web.service durascope-beat.service durascope-redis.service
    durascope-worker@.service durascope-worker-root@.service)

units() { units_of "$SOURCE"; }
units_of() { # FOLDER of the program
    local unit before=$CHANGES
    for unit in "${OUR_UNITS[@]}"; do place "$UNITS/$unit" 0644 root <"$1/deploy/systemd/$unit"; done
    place "$COMMAND" 0755 root <"$1/deploy/durascope"
    [ "$CHANGES" = "$before" ] || [ -n "$DRY_RUN" ] || systemctl daemon-reload
}

migrations() {
    [ -z "$ONLY_WORKER" ] || return 0
    { [ -x $PROGRAM/.venv/bin/python ] && "$COMMAND" migrate --check >/dev/null 2>&1; } ||
        act "make or upgrade the tables of the database" "$COMMAND" migrate --verbosity 0
}

# Its password is shown once, so it is made when everything else is there.
administrator() {
    local before
    before=$(cat $CONFIG/administrator 2>/dev/null || true)
    ADMIN=${ADMIN:-${before:-admin}}
    [ -n "$ONLY_WORKER" ] || [ "$ADMIN" = "$before" ] || act "make the administrator $ADMIN" make_administrator
}
make_administrator() {
    local told
    if told=$("$COMMAND" makeadmin "$ADMIN" 2>&1); then
        FIRST_LOGIN=$told
    elif [[ $told != *--reset* ]]; then
        say "$told"
        return 1
    else
        FIRST_LOGIN="The account $ADMIN was made before. If its password was lost: durascope makeadmin $ADMIN --reset"
    fi
    note file $CONFIG/administrator
    echo "$ADMIN" >$CONFIG/administrator
}

proxy() {
    if [ "$PROXY" = none ]; then
        [ ! -e $SITE ] || act "remove the site of nginx" remove_site
        return 0
    fi
    if [ ! -e $SITE ]; then
        certificate
        site | place $SITE 0644 root
    elif [ -n "$CERTIFICATE" ]; then
        other_certificate | place $SITE 0644 root
    fi
    thing link $SITE_ON ln -s $SITE $SITE_ON
    [ -n "$DRY_RUN" ] || nginx -tq || refuse "nginx refuses its files (see above). Correct them and run this again:" \
        "it goes on from here. Sites that were here before were not changed."
}
remove_site() {
    removed link $SITE_ON
    removed file $SITE
    ! systemctl is-active -q nginx || systemctl reload nginx
}
# Other lines of the site may have been changed by hand.
other_certificate() {
    sed -E -e "s|^( *ssl_certificate +)[^;]*;|\\1$CERTIFICATE;|" -e "s|^( *ssl_certificate_key +)[^;]*;|\\1$KEY;|" $SITE
}
certificate() {
    [ -z "$CERTIFICATE" ] || return 0
    CERTIFICATE=$CONFIG/tls/certificate.pem KEY=$CONFIG/tls/key.pem
    [ -e $CERTIFICATE ] || act "make a certificate for $NAME, of which browsers warn" make_certificate
}
make_certificate() {
    install -d -m 0700 $CONFIG/tls
    (umask 077 && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 825 -subj "/CN=$NAME" \
        -addext "subjectAltName=DNS:$NAME" -keyout $KEY -out $CERTIFICATE.new 2>/dev/null)
    mv $CERTIFICATE.new $CERTIFICATE
}
site() {
    local without='^$' http2='' version
    [ -e /proc/net/if_inet6 ] || without='listen \[::\]'
    version=$({ nginx -v 2>&1 || true; } | sed -n 's|.*nginx/\([0-9.]*\).*|\1|p') # a dry run may have no nginx yet
    # nginx of Debian 13 warns of the spelling that nginx of Debian 12 needs.
    ! dpkg --compare-versions "$version" ge 1.25.1 ||
        http2='s|listen 443 ssl http2;|http2 on;\n    listen 443 ssl;|; s| ssl http2;| ssl;|; /Since nginx 1.25.1/d'
    sed -e "$http2" -e "s|/etc/letsencrypt/live/durascope.example.org/fullchain.pem|$CERTIFICATE|" \
        -e "s|/etc/letsencrypt/live/durascope.example.org/privkey.pem|$KEY|" \
        -e "s|durascope.example.org|$NAME|" "$SOURCE/deploy/nginx.conf" | grep -v "$without\|Insert your name"
}

services() {
    ! own_redis || starts durascope-redis.service
    if [ -z "$ONLY_WORKER" ]; then
        for unit in durascope-web.socket durascope-web.service durascope-beat.service; do starts $unit; done
    fi
    worker
    [ "$PROXY" = none ] || nginx_reads
}
starts() {
    systemctl is-enabled -q "$1" 2>/dev/null && systemctl is-active -q "$1" || act "start $1" systemctl enable --quiet --now "$1"
}

worker() {
    local kind wanted present
    kind=$(worker_kind) present=$(present_worker)
    wanted=$(worker_unit "$kind")
    [ -z "$present" ] || [ "$present" = "$wanted" ] || act "stop $present" systemctl disable --quiet --now "$present"
    [ -n "$wanted" ] || return 0
    worker_folders "$kind"
    [ -z "$ONLY_WORKER" ] || systemctl is-active -q "$wanted" ||
        act "ask database, Redis and keys whether the worker may join" may_join
    starts "$wanted"
}
worker_folders() {
    local owner=durascope folder
    [ "$1" = ordinary ] || owner=root
    [ ! -e $DATA/sandboxes ] || [ "$(stat -c %U $DATA/sandboxes)" = $owner ] ||
        act "remove the sandboxes of the other kind of worker" other_worker_ended $owner
    for folder in builds sandboxes; do own $DATA/$folder $owner 0755; done
}
other_worker_ended() { # NEW-OWNER
    rm -rf --one-file-system $DATA/sandboxes
    chown -R "$1:$1" $DATA/builds
}
# Before the unit starts: it would only say so in the journal, again and again.
may_join() {
    local told status=0
    told=$("$COMMAND" doctor) || status=$?
    [ $status -lt 2 ] || refuse "The worker cannot join:" "$(grep '^fails' <<<"$told" || echo "$told")" \
        "Correct $CONFIG/durascope.env, or upgrade the web server's host first. Then run this again: it goes on from here."
}

nginx_reads() {
    if ! systemctl is-active -q nginx; then
        act "start nginx" systemctl enable --quiet --now nginx
    elif [ $SITE -nt $SITE_READ ]; then
        act "have nginx read the new site" systemctl reload nginx
    fi
    [ -n "$DRY_RUN" ] || { note file $SITE_READ && touch $SITE_READ; }
}

# Without units, at the first installation, there is nothing to stop.
stop_units() { [ ! -e $UNITS/durascope-web.service ] || systemctl stop 'durascope-worker*' 'durascope-beat*' 'durascope-web*'; }

answers() {
    if [ -n "$ONLY_WORKER" ]; then
        systemctl is-active -q "$(worker_unit "$(worker_kind)")" || refuse "The worker does not run: journalctl -u 'durascope-worker*'"
        return
    fi
    "$PROGRAM/.venv/bin/python" "$SOURCE/deploy/install/answers.py" "$(worker_kind)" ||
        refuse "Everything is installed, but it does not answer as it should (see above)." \
            "Read: journalctl -u 'durascope-*' --since '10 minutes ago', and: durascope doctor"
}

FIRST_LOGIN=''
tell() {
    if [ -n "$DRY_RUN" ]; then
        say "" "$CHANGES changes would be made; nothing was changed." && return
    fi
    answers
    [ "$CHANGES" != 0 ] || say "Nothing had to be changed."
    say "Durascope runs at $(setting DURASCOPE_ADDRESS)"
    [ -z "$FIRST_LOGIN" ] || echo "$FIRST_LOGIN"
}
