"""What a hostile option file costs, in calls of Python: seconds would depend on the load beside it."""

import pytest

from tests.steps import counted
from workers.errors import PlanError
from workers.servers.deciding import NOT_TOLD
from workers.servers.pasted import known_names, option_file
from workers.servers.pasted.file_facts import MOST_LINES_UNNAMED, file_facts
from workers.servers.pasted.files_here import FilesHere
from workers.servers.pasted.lines import LONGEST
from workers.servers.pasted.named_version import named_version
from workers.servers.pasted.option_file import MOST_ASKED, MOST_FOLLOWED, ReadFile
from workers.servers.pasted.options import servers
from workers.servers.pasted.read import MOST_CHARACTERS, read

LINES = 400
A_LINE = 400
BEFORE = 30_000  # whatever the length
LOOKED_UP: list[str] = []  # names that may be meant for others: each costs milliseconds


@pytest.fixture(autouse=True)
def _no_look_up(monkeypatch):
    LOOKED_UP.clear()
    monkeypatch.setattr(known_names, "nearest_name", lambda name, _: LOOKED_UP.append(name) or "")


def steps(text, version=""):
    """For one server."""
    with counted() as found:
        file_facts(text, named_version(version))
    return found.taken / (1 if version else len(servers()))


def of_lines(line, section="mysqld"):
    return f"[{section}]\n" + "".join(f"{line.format(number)}\n" for number in range(LINES))


SLOW = {
    "unknown names, loose": of_lines("loose-x{}=1"),
    "unknown names near one": of_lines("loose_innodb_flush_log_at_trx_{}=1"),
    "of plugins": of_lines("validate_password_{}=1"),
    "of MyRocks": of_lines("loose_rocksdb_{}=1"),
    "plugins": of_lines("plugin_load_add=rocksdb{}"),
    "sections": of_lines("[mysqld-{}]"),
    "sections of instances": of_lines("[mysqld{}]\ni=1"),
    "one letter in the section of an instance": of_lines("i", "mysqld1"),
    "values": of_lines("sync_binlog={}"),
    "includes": of_lines("!include /x{}"),
    "prefixes in a short name": of_lines("loose_" * 30 + "x=1"),
    "prefixes in a long name": of_lines("loose_" * (LONGEST // 6 - 3) + "x=1"),
    "quotes": "[mysqld]\nx=" + "'\"" * (LONGEST * 20),
    "hashes in quotes": "[mysqld]\nx='" + "\\#" * (LONGEST * 20),
}


@pytest.mark.parametrize("version", ["", "Percona 5.7"])
@pytest.mark.parametrize("text", SLOW.values(), ids=SLOW)
def test_a_line_costs_no_more_than_a_few_calls(text, version):
    assert steps(text, version) < BEFORE + A_LINE * (text.count("\n") + len(text) // LONGEST)


def test_the_count_notices_what_is_done_again_for_every_line(monkeypatch):
    """The positive control."""
    text = SLOW["one letter in the section of an instance"]
    monkeypatch.setattr(option_file, "_settings", option_file._settings.__wrapped__)
    assert steps(text, "MySQL 5.7") > 2 * (BEFORE + A_LINE * LINES)


@pytest.mark.parametrize("name", ["x{}", "loose_x{}", "innodb_flush_log_at_trx_{}"])
def test_names_that_nobody_knows_are_looked_up_a_few_times_only(name):
    file_facts(of_lines(f"{name}=1"), named_version("MySQL 5.7"))
    assert 0 < len(LOOKED_UP) <= MOST_ASKED


def test_a_long_text_needs_a_version():
    text = "[mysqld]\n" + "sync_binlog=1\n" * MOST_LINES_UNNAMED
    assert file_facts(text, named_version("MySQL 8.0")).facts.variable("sync_binlog") == "1"
    with pytest.raises(PlanError, match="more than 2,000 lines"):
        file_facts(text, None)


@pytest.mark.parametrize("text", ["\n" * MOST_CHARACTERS, " " * MOST_CHARACTERS, "'\"" * (MOST_CHARACTERS // 2)])
def test_a_text_of_blanks_or_quotes_is_refused_at_once(text):
    with counted() as found, pytest.raises(PlanError):
        read(f"[x{text[4:]}")
    assert found.taken < BEFORE


def test_a_file_that_includes_itself_ends(tmp_path):
    file = tmp_path / "a.cnf"
    file.write_text("[mysqld]\n" + f"!include {file}\n" * 50 + "sync_binlog=1\n")
    with counted() as found:
        read = file_facts(file.read_text(), named_version("MariaDB 10.11"), follow=FilesHere().follow)
    assert found.taken < MOST_FOLLOWED * (BEFORE + 50 * A_LINE)
    assert {name: one for name, one in read.facts.variables.items() if one != NOT_TOLD} == {"sync_binlog": "1"}


@pytest.mark.parametrize("length", [0, MOST_CHARACTERS])
def test_no_more_is_followed_after_the_limit(length):
    """Neither too many files nor too many characters; what stands before the next include is then unknown."""
    followed = []

    def follow(include, _):
        followed.append(include.path)
        return [ReadFile(include.path, "#" * length)]

    text = of_lines("!include /x.cnf\nsync_binlog=1") + "!include /x.cnf\n"
    found = option_file.read(text, servers()[0], servers()[0].version, follow=follow)
    assert len(followed) <= MOST_FOLLOWED + 1 and len(found.includes) == 1 and not found.given
