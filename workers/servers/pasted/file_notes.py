"""What a reader of the audit must know of an option file."""

from collections.abc import Sequence

from workers.servers.flavours import FLAVOURS
from workers.servers.pasted.named_version import NamedVersion
from workers.servers.pasted.option_file import OptionFile
from workers.servers.pasted.options import ServerOptions
from workers.servers.printable import printable

LONGEST_NOTE = 500
MOST_NOTES = 20  # of lines of a file: a page must not become as long as the file
PERSISTS = (8, 0, 0)  # since then, in mysqld-auto.cnf
OF_SERVERS = ("mysqld", "server", "mariadb", "galera", "client-server", "mysql_cluster")


def notes_of(file: OptionFile, server: ServerOptions, named: NamedVersion | None) -> list[str]:
    title = f"{FLAVOURS[server.flavour].title} {named.text}" if named else FLAVOURS[server.flavour].title
    notes = [printable(one[:LONGEST_NOTE]) for one in (*_of_sections(file, title), *dict.fromkeys(file.notes))]
    more = len(notes) - MOST_NOTES
    shown = [*notes[:MOST_NOTES], f"{more:,} more such lines."] if more > 0 else notes
    return [*shown, *_of_the_rest(file, server, named, title)]


def _of_sections(file: OptionFile, title: str) -> list[str]:
    notes = [f"{include} was not followed: its settings are unknown here." for include in file.includes]
    if not file.groups and not file.instances and (file.unread or not file.options):
        has = ", ".join(f"[{name}]" for name in list(file.unread)[:5]) or "no section"
        notes.append(f"Nothing in the text is for the server: it has {has}. {title} reads [mysqld].")
    else:
        notes += [
            f"Section [{name}] was left out: {title} does not read it."
            for name in file.unread
            if name.lower().startswith(OF_SERVERS) and not name.lower().startswith(("mysqld_", "mysqldump"))
        ]
    notes += [
        f"Section [{name}] is of one of several servers: what it sets is unknown here. To audit that server, write its "
        "lines under [mysqld]."
        for name in file.instances
    ]
    return notes


def _of_the_rest(file: OptionFile, server: ServerOptions, named: NamedVersion | None, title: str) -> Sequence[str]:
    notes = []
    if named and named.version[:2] != server.series:
        notes.append(
            f"Names and bounds are those of {FLAVOURS[server.flavour].title} {server.text}, the nearest version that "
            "is known here."
        )
    if named and named.is_fork:
        notes.append("Options that only this fork has are not known here.")
    if file.includes:
        notes.append("Settings that the file leaves out are unknown: an included file may set them.")
        notes.append("So is what stands before an included file, which wins over it.")
    elif named and not file.refused:
        notes.append(f"Settings that the file leaves out have the defaults of {title}.")
    if named and named.flavour == "mysql" and named.version >= PERSISTS and not file.refused:
        notes.append("mysqld-auto.cnf (SET PERSIST), other option files and the command line also count.")
    return notes
