"""The command of a measurement as a person can repeat it. The worker gave it files and variables that are gone."""

import re
import shlex
from collections.abc import Iterator, Sequence

KEY_FILE = re.compile(r"(?<=server-public-key=)[^;]*")
CLIENT = (
    "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:secp256k1 -nodes -subj /CN=none "
    "-keyout client-key.pem -out client-cert.pem"
)


def command(words: Sequence[str]) -> str:
    """With a name in place of a temporary file."""
    return shlex.join(KEY_FILE.sub("server-key.pem", word) for word in words)


def needs(words: Sequence[str]) -> Iterator[str]:
    """What to do before it is started, a sentence or two each."""
    if not words:
        return
    yield (
        "Set LUA_PATH to 'CLONE/workers/bench/lua/?.lua;;' (CLONE: the folder of Durascope) and MYSQL_PWD to the "
        "password. Make the schema that --mysql-db names, and start the command first with prepare in place of run."
    )
    if "own_transaction" in words:
        yield "OWN_TRANSACTION held your file as records. Without it this command cannot be started by hand."
    if "--mysql-ssl=on" in words:
        yield (
            "The command reads three files from the folder in which it is started. cacert.pem is the certificate of "
            "the authority that signed the server's, or the server's own if it is self-signed. The other two are "
            f"loaded and never sent: {CLIENT}"
        )
    if any(KEY_FILE.search(word) for word in words):
        yield "server-key.pem is the RSA key of the server: SHOW STATUS LIKE '%rsa_public_key' answers it."
