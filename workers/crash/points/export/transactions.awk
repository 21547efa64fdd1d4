# Counts the transactions in one file of the binary log, from the output of mysqlbinlog: those with their end, statements
# such as DDL, and XA transactions that were prepared, committed or rolled back.
statement == "" && /^#[0-9]/ { # an event
    event = $0
    if (event ~ /[\t_]GTID[ \t]/) inside = 0
}
statement == "" && /^#/ { next }
{ statement = statement == "" ? $0 : statement "\n" $0 }
/\/\*!\*\/;$/ { ended(statement); statement = "" }
function ended(text) {
    if (text ~ /^(SET|use|DELIMITER|BINLOG) / || text ~ /^\/\*/ || text ~ /^XA END/) return
    if (text ~ /^ROLLBACK/ && (text ~ /added by mysqlbinlog/ || event ~ /Start: binlog/)) return # it is not in the file
    if (text ~ /^(BEGIN|START TRANSACTION|XA START)/) { inside = 1; return }
    if (inside && text !~ /^(COMMIT|ROLLBACK|XA )/) return
    count++
    inside = 0
}
END { print count + 0 }
