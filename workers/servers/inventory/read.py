"""Which file it is, and the servers that it names."""

import json

from workers.errors import PlanError
from workers.servers.inventory import ansible, client_file, csv_file, login_file, pmm
from workers.servers.inventory.found import MOST_BYTES, FoundServer, limited

KNOWN = (
    "Known: ~/.my.cnf, .mylogin.cnf, mysql_config_editor print, PMM (JSON), CSV, "
    "Ansible (the output of ansible-inventory --list)."
)


def read(content: bytes, group: str = "") -> list[FoundServer]:
    """`group`: of an Ansible inventory. Raises PlanError; no message repeats the file."""
    if len(content) > MOST_BYTES:
        raise PlanError(f"The file is larger than {MOST_BYTES >> 20} MiB. Nothing was read.", "Split it.")
    if login_file.is_one(content):
        return limited(client_file.read(login_file.decrypted(content), every_section=True))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise PlanError("The file is not UTF-8 text.", KNOWN) from wrong
    if "\0" in text:
        raise PlanError("The file holds NUL.", KNOWN)
    return limited(_of_text(text, group))


def _of_text(text: str, group: str) -> list[FoundServer]:
    if text.lstrip().startswith("{"):
        return _of_json(text, group)
    if client_file.SIGN.search(text) and not client_file.HIDES.search(text):
        return client_file.read(text)
    if client_file.LOGIN_PATHS.search(text) and ":vars]" not in text:
        return client_file.read(text, every_section=True)
    if csv_file.is_one(text):
        return csv_file.read(text)
    raise PlanError("The file was not recognised. Nothing was read.", KNOWN)


def _of_json(text: str, group: str) -> list[FoundServer]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise PlanError("The file begins like JSON and is not valid JSON.", KNOWN) from wrong
    if pmm.is_one(document):
        return pmm.read(document)
    if ansible.is_one(document):
        return ansible.read(document, group)
    raise PlanError("The JSON is neither an inventory of PMM nor of Ansible.", KNOWN)
