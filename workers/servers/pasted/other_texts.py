"""Texts that look like an option file and are none: what they are, and what to do with them."""

import re

from workers.servers.pasted.lines import SectionLine, WrittenOption, lines
from workers.servers.pasted.option_names import found_name
from workers.servers.pasted.options import servers

LOOKED_AT = 200  # lines
TEMPLATE = re.compile(r"^(?![^\S\n]*[#;]).*?(?:\{\{|\{%|<%|\$\{)", re.MULTILINE)
TERRAFORM = re.compile(r"^[ \t]*(resource|module|variable|locals|parameter)\b[^=\n]*\{", re.MULTILINE)
OF_PROGRAMS = re.compile(
    r"(mysql|mariadb|server|client|galera|sst|xtrabackup|mariabackup|embedded|isamchk|myisamchk|aria_chk|safe_|tokudb)",
    re.IGNORECASE,
)


def is_template(text: str) -> bool:
    return TEMPLATE.search(text) is not None


def what_it_is(text: str) -> tuple[str, str]:
    """What the text is instead of an option file, and what to do; two empty texts for what may be an option file."""
    if is_template(text):
        return "The text is a template.", "Render it first, and give the result."
    if TERRAFORM.search(text):
        return "The text is Terraform.", "Write its parameters as NAME = VALUE below [mysqld]."
    read = [line for _, line in lines(text)]
    sections = [line.name for line in read if isinstance(line, SectionLine)]
    if sections and not any(OF_PROGRAMS.match(one.lstrip()) for one in sections):
        return f"No section of the text is of a server or its programs: [{sections[0][:40]}].", ""
    options = [line.name for line in read if isinstance(line, WrittenOption)][:LOOKED_AT]
    if not sections and not any(found_name(one, server).name for server in servers() for one in options):
        return "The text has no section, and no server has an option of these names.", ""
    return "", ""
