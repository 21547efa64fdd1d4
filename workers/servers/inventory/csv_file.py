"""CSV with a heading: name, host, port, socket, user, password, tls, tls_ca, label. Comma, semicolon or tab."""

import csv
import re

from workers.errors import PlanError
from workers.servers.inventory.found import MOST_SERVERS, FoundServer

COLUMNS = ("name", "host", "port", "socket", "user", "password", "tls", "tls_ca", "label")
SIGN = re.compile(r'\A[ \t\w",;-]*\b(host|socket)\b', re.IGNORECASE)


def is_one(text: str) -> bool:
    heading = text.partition("\n")[0]
    return SIGN.match(heading) is not None and any(one in heading for one in ",;\t")


def read(text: str) -> list[FoundServer]:
    heading, found = text.partition("\n")[0], []
    separator = max(",;\t", key=heading.count)
    try:
        rows = csv.DictReader(text.splitlines(), delimiter=separator, restval="")
        names = {name.strip().lower(): name for name in rows.fieldnames or ()}
        for row in rows:
            values = {column: row[names[column]].strip() for column in COLUMNS if column in names}
            name = values.pop("name", "") or values.get("host") or values.get("socket", "")
            found.append(FoundServer(name, **values))
            if len(found) > MOST_SERVERS:
                break
    except csv.Error as wrong:
        raise PlanError("The file is not valid CSV.", f"Its columns may be: {', '.join(COLUMNS)}.") from wrong
    return found
