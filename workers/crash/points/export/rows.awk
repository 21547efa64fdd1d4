# Rows of the clients, from the output of mysqlbinlog --verbose: table, client, n, part, digest.
function told() {
    if (table != "") print table "\t" column[1] "\t" column[2] "\t" (table == "one" ? column[3] "\t" column[4] : "0\t" column[3])
    table = ""
}
/^### INSERT INTO / { told(); table = $4; gsub(/^.*\.|`/, "", table) }
/^###   @[0-9]+=/ { split(substr($2, 2), pair, "="); column[pair[1]] = pair[2] }
!/^###/ { told() }
END { told() }
