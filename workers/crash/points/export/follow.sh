# Part of show.sh: the server of replica.img starts, and follows the recovered server of disk.img.
follow() {
    if [ -z "$client" ]; then untried "Replica: not tried. Neither mysql nor mariadb is installed."; return; fi
    launch replica replica.cnf --skip-networking "$@"
    if ! { filled - <"$here/source.sql" | sql && filled - <"$here/point.sql" | ask replica; } >"$work/point.log" 2>&1; then
        not_tried "Replica: not tried. It could not be told to follow:" "$work/point.log"
        return
    fi
    write_on
    case $state in
    stopped) wrong "Replica: it stopped. $(stopped)" ;;
    late) untried "Replica: not compared. It did not catch up within 40 times 3 s." ;;
    stuck) not_tried "Replica: not compared. The server could not write on:" "$work/client.log" ;;
    *) compare_rows ;;
    esac
}

not_tried() { # a sentence, and the file that says why
    untried "$1"
    head -n 5 "$2" | sed 's/^/  /'
}

# A server that lost transactions gives their GTIDs to new ones, which the replica may take for those that it has. So the
# server writes on until the replica has one of the new rows, or has stopped.
write_on() {
    state=late last=0
    while [ $state = late ] && [ $last -lt 2000 ]; do
        last=$((last + 50))
        awk -v last=$last 'BEGIN { for (n = last - 49; n <= last; n++) print "INSERT INTO one VALUES (1002, " n ", 0, 0);" }' |
            sql @SCHEMA@ 2>"$work/client.log" || state=stuck
        tries=30
        while [ $state = late ] && [ $((tries -= 1)) -gt 0 ]; do
            sleep 0.1
            if [ -n "$(stopped)" ]; then state=stopped; elif arrived; then state=equal; fi
        done
    done
}
arrived() {
    echo "SELECT n FROM one WHERE client = 1002 AND n = $last" | ask replica --batch --skip-column-names @SCHEMA@ | grep -q .
}
stopped() { # why; nothing while it goes on
    ask replica --execute='SHOW @WORD@ STATUS\G' | awk '
        / (Slave|Replica)_(IO|SQL)_Running: No$/ { down[substr($1, index($1, "_") + 1, 2)] = 1 }
        / Last_(IO|SQL)_Error: ./ && down[substr($1, 6, 2)] { sub(/^ *Last_[A-Z]*_Error: /, ""); print }'
}

compare_rows() {
    for one in disk replica; do
        filled "$work/$one.later" <"$here/rows.sql" | ask $one 2>"$work/client.log" || {
            not_tried "Replica: not compared. Rows could not be read ($one.img):" "$work/client.log"
            return
        }
        sort -o "$work/$one.later" "$work/$one.later"
    done
    comm -23 "$work/disk.later" "$work/replica.later" >"$work/missing"
    none_of "$work/missing" "Replica: it lacks $(lines "$work/missing") rows, and reports no error."
    comm -13 "$work/disk.later" "$work/replica.later" >"$work/more"
    none_of "$work/more" "Replica: it has $(lines "$work/more") rows that its primary does not have."
}

follow "$@"
