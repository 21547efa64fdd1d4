"""What an uploaded file may not do: leave its schema, run code, wait, or take all memory."""

import pytest

from tests.own_transactions import EXAMPLE
from workers.errors import PlanError
from workers.transaction.preview import for_guests, lines
from workers.transaction.read import read
from workers.transaction.records import records

FILE = """title = "t"
[values]
n = {{ kind = "sequence" }}
[[tables]]
create = '''CREATE TABLE t (id BIGINT PRIMARY KEY, sleep INT, a VARCHAR(20))'''
[[transactions]]
statements = ['''{}''']
"""
TABLE = "INSERT INTO t (id) VALUES (:n)"

STATEMENTS = [
    "DROP TABLE t",
    "CREATE TABLE u (id INT)",
    "SET GLOBAL sync_binlog = 0",
    "CALL p()",
    "LOAD DATA INFILE 'x' INTO TABLE t",
    "GRANT ALL ON t TO root",
    "BEGIN",
    "COMMIT",
    "PREPARE s FROM 'x'",
    "INSERT INTO t (id) VALUES (1); DROP TABLE t",
    "INSERT INTO t (id) VALUES (1) -- x",
    "INSERT INTO t (id) VALUES (1) --x",
    "INSERT INTO t (id) VALUES (1) # x",
    "INSERT INTO t (id) VALUES (1) /* x */",
    "INSERT INTO t (id) VALUES (1) /*! , (2) */",
    "INSERT INTO t (id) VALUES (1) /*M!100 , (2) */",
    "INSERT INTO mysql.user (id) VALUES (1)",
    "INSERT INTO `mysql`.`user` (id) VALUES (1)",
    "INSERT INTO `mysql.user` (id) VALUES (1)",
    "INSERT INTO user (id) VALUES (1)",
    "INSERT INTO t SELECT * FROM mysql . user",
    "UPDATE mysql.user SET a = 1",
    "INSERT INTO t (a) SELECT a FROM t",
    "INSERT INTO t (a) VALUES ((SELECT MAX(a) FROM t))",
    "DELETE FROM information_schema.tables",
    "SELECT a FROM t JOIN secrets ON a = a",
    "SELECT a FROM t , secrets",
    "SELECT a FROM t INTO OUTFILE '/tmp/x'",
    "SELECT a INTO DUMPFILE '/tmp/x' FROM t",
    "SELECT a INTO @x FROM t",
    "SELECT @@datadir",
    "SELECT SLEEP(100) FROM t",
    "SELECT sleep (100) FROM t",
    "SELECT sLeEp\n(100) FROM t",
    "SELECT `sleep`(100) FROM t",
    "SELECT a AS sleep (100) FROM t",
    "SELECT GET_LOCK('x', 100) FROM t",
    "SELECT BENCHMARK(1e9, 1) FROM t",
    "SELECT LOAD_FILE('/etc/passwd') FROM t",
    "SELECT VERSION() FROM t",
    "SELECT USER FROM t",
    "SELECT CURRENT_USER FROM t",
    "SELECT a FROM t PROCEDURE ANALYSE()",
    "INSERT INTO t (id) VALUES (1) RETURNING id",
    "WITH x AS (SELECT 1) SELECT 1",
    "SELECT a FROM (WITH RECURSIVE x AS (SELECT 1) SELECT 1) AS y",
    'INSERT INTO t (id, a) VALUES (1, "x")',
    "INSERT INTO t (id, a) VALUES (1, 'x\\' )",
    "INSERT INTO t (id, a) VALUES (1, 'x",
    "INSERT INTO t (id, a) VALUES (1, 'x?')",
    "INSERT INTO t (id) VALUES (?)",
    "INSERT INTO t (id) VALUES (:unknown)",
    "INSERT INTO t (id) VALUES ((:n)",
    "INSERT INTO t (id) VALUES (:n))",
    "INSERT INTO t (id) VALUES (0x41)",
    "INSERT INTO t (id) VALUES (1e9)",
    "INSERT INTO INTO t (id) VALUES (1)",
    "REPLACE t (id) VALUES (1)",
    "UPDATE",
    "SELECT a FROM",
    "",
    ";",
    "INSERT INTO t (id, a) VALUES (:n, 'caf\u00e9')",
    "INSERT INTO t (id, a) VALUES (:n, 'a\tb')",
    "UPDATE t, sleep SET a = 1 WHERE id = 1",
    "UPDATE (t, sleep) SET a = 1 WHERE id = 1",
    "UPDATE IGNORE t, sleep SET a = 1 WHERE id = 1",
    "UPDATE t JOIN (t, sleep) SET a = 1 WHERE id = 1",
    "UPDATE t SET a = (SELECT MAX(a) FROM t, sleep) WHERE id = 1",
    "SELECT a FROM t, sleep",
    "SELECT a FROM (t, sleep)",
    "DELETE FROM t, sleep WHERE id = 1",
    "DELETE FROM t USING sleep WHERE id = 1",
    "DELETE t FROM t JOIN t, sleep WHERE id = 1",
    "SELECT a AS durascope_heartbeat FROM t",
    "SELECT a AS set FROM t",
    "UPDATE t AS one SET a = 1 WHERE id = 1",
    "UPDATE t SET a = 1",
    "UPDATE t SET id = (SELECT MAX(id) FROM t WHERE id = 1)",
    "UPDATE t SET a = CONCAT(a, a) WHERE id = 1",
    "UPDATE t SET a = concat ('x', UPPER(`a`)) WHERE id = 1",
    "UPDATE t SET a = CONCAT((SELECT MAX(a) FROM t), 'x') WHERE id = 1",
    "UPDATE t SET a = REPLACE(a, 'x', 'xx') WHERE id = 1",
    "UPDATE t SET a = INSERT(a, 1, 0, a) WHERE id = 1",
    "INSERT INTO t (id) VALUES (1) ON DUPLICATE KEY UPDATE a = CONCAT(a, a)",
    "DELETE FROM t",
    "DELETE FROM t LIMIT 5",
    "SELECT a FROM t WHERE id = " + "(" * 1990,
    "SELECT " + "a, " * 700 + "a FROM t",
]
CREATES = [
    "CREATE TABLE x (id INT) ENGINE = MEMORY, DATA DIRECTORY = '/tmp'",
    "CREATE TABLE x (id INT) DATA DIRECTORY = '/tmp'",
    "CREATE TABLE x (id INT) AS SELECT 1",
    "CREATE TABLE x (id INT); DROP TABLE t",
    "CREATE TABLE x LIKE mysql.user",
    "CREATE TABLE mysql.x (id INT)",
    "CREATE TABLE IF NOT EXISTS x (id INT)",
    "CREATE TEMPORARY TABLE x (id INT)",
    "CREATE OR REPLACE TABLE x (id INT)",
    "CREATE VIEW x AS SELECT 1",
    "CREATE TRIGGER x (id INT)",
    "CREATE TABLE x (id INT DEFAULT (SLEEP(1)))",
    "CREATE TABLE x (sleep INT DEFAULT sleep(1))",
    "CREATE TABLE x (id INT, b INT AS (SLEEP(1)))",
    "CREATE TABLE x (id INT GENERATED ALWAYS AS (1))",
    "CREATE TABLE x (id INT CHECK (SLEEP(1)))",
    "CREATE TABLE x (id INT REFERENCES mysql.user (a))",
    "CREATE TABLE x (id INT DEFAULT :n)",
    "CREATE TABLE x (id INT COMMENT 'x') PARTITION BY HASH (id)",
    "CREATE TABLE x (id INT))(",
    "CREATE TABLE x (id INT,)",
    "CREATE TABLE x ()",
    "CREATE TABLE one (id INT)",
    "CREATE TABLE durascope_rows (id INT)",
    "CREATE TABLE T (id INT)",
    "CREATE TABLE x (durascope_heartbeat INT, n INT)",
    "CREATE TABLE x (`Left_Half` INT)",
    "CREATE TABLE x (id INT, KEY durascope_x (id))",
    "CREATE TABLE x (`set` INT)",
    "CREATE TABLE x (mode INT)",
    "SELECT 1",
    "",
]


@pytest.mark.parametrize("sql", STATEMENTS)
def test_a_statement_that_could_do_harm_is_refused_with_its_line(sql):
    read(FILE.format(TABLE))
    with pytest.raises(PlanError, match=r"transactions\[1\].statements\[1\]") as refused:
        read(FILE.format(sql))
    assert not sql.strip() or "line 7" in refused.value.message or "\n" in sql


@pytest.mark.parametrize("sql", CREATES)
def test_a_table_that_could_do_harm_is_refused(sql):
    with pytest.raises(PlanError, match=r"tables\[2\].create"):
        read(FILE.format(TABLE).replace("[[transactions]]", f"[[tables]]\ncreate = '''{sql}'''\n[[transactions]]"))


@pytest.mark.parametrize(
    "change",
    [
        ('title = "Place an order"', 'title = ""'),
        ('title = "Place an order"', f'title = "{"x" * 81}"'),
        ('title = "Place an order"', 'title = "a\\u0000b"'),
        ('title = "Place an order"', 'title = "a\\u001b[2J"'),
        ('title = "Place an order"', "title = 5"),
        ("rows = 1000\n", "rows = 1000000000\n"),
        ("rows = 1000\n", "rows = -1\n"),
        ("rows = 1000\n", f"rows = {'9' * 6000}\n"),
        ("rows = 1000\n", f"rows = 0x{'f' * 6000}\n"),
        ("weight = 9", f"weight = 0x{'f' * 6000}"),
        ("least = 1,", f"least = 0x{'f' * 6000},"),
        ("length = 40", "length = 1000000"),
        ("length = 40", "length = true"),
        ("most = 1000", "most = 99999999999999999999"),
        ("most = 1000", "most = 1e3"),
        ("least = 1,", "least = 501,"),
        ('"apple"', '"a\\tb"'),
        ('"apple"', '"a\\u0000"'),
        ('"apple"', '"a\\\\"'),
        ('"apple"', '"a\\nstatement\\tDROP TABLE x"'),
        ('"apple"', '" "'),
        ('kind = "now"', 'kind = "shell"'),
        ("weight = 9", "weight = 0"),
        ("weight = 9", 'weight = "9"'),
        ("[values]", "[values]\n'a; b' = { kind = 'now' }"),
        ("[values]", "[values]\nnow = { kind = 'now', length = 3 }"),
        ('name = "note" }', 'secret = "note" }'),
        ('name = "note" }', 'name = "at;" }'),
        ('name = "order"\n', 'name = "a\\tb"\n'),
        ("[[transactions]]", "[[other]]"),
    ],
)
def test_a_wrong_value_is_refused(change):
    assert change[0] in EXAMPLE
    with pytest.raises(PlanError) as refused:
        read(EXAMPLE.replace(*change, 1))
    assert refused.value.fix


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "x",
        "a = [" * 5000,
        "[" * 15000,
        "a." * 7000 + "b = 1",
        "x" * 10_000_000,
        "title = 'x'\n" * 3,
        "\ufeff",
    ],
)
def test_text_that_is_no_such_file_is_refused(text):
    with pytest.raises(PlanError):
        read(text)


def test_the_rows_at_the_beginning_are_bounded_in_bytes():
    with pytest.raises(PlanError, match="MiB"):
        read(EXAMPLE.replace("rows = 1000\n", "rows = 500000\n").replace("length = 40", "length = 1000"))


def test_no_record_for_sysbench_holds_more_fields_or_lines_than_were_checked():
    found = read(EXAMPLE)
    told = records(found).split("\n")
    assert {one.split("\t")[0] for one in told} == {"value", "table", "transaction", "statement"}
    assert len(told) == 6 + 3 + 2 + 5


def test_a_statement_is_put_together_again_without_what_stood_between_its_tokens():
    sql = "INSERT\n\n  INTO `t`(id,a)\tVALUES(:n,CONCAT('it''s',  'x')) ON DUPLICATE KEY UPDATE a=VALUES(a)"
    shown = list(lines(read(FILE.format(sql.replace("'''", "''")))))
    told = "INSERT INTO `t` (`id`, `a`) VALUES (1, CONCAT('it''s', 'x')) ON DUPLICATE KEY UPDATE `a` = VALUES (`a`)"
    assert told in shown


def test_a_column_with_the_name_of_a_keyword_stays_a_name():
    """Without backticks a server would read UNION TABLE."""
    file = FILE.format("UPDATE t SET a = (SELECT MAX(id) FROM t union table) WHERE id = :n")
    shown = list(lines(read(file.replace("sleep INT", "`union` INT, `table` INT"))))
    assert "UPDATE `t` SET `a` = (SELECT MAX(`id`) FROM `t` `union` `table`) WHERE `id` = 1" in shown


def test_a_column_with_the_name_of_a_function_is_no_way_around():
    file = FILE.format("UPDATE t SET count = CONCAT(count, count) WHERE id = 1")
    with pytest.raises(PlanError, match="CONCAT with count"):
        read(file.replace("sleep INT", "count TEXT"))


def test_a_join_and_a_text_of_values_are_allowed():
    read(
        FILE.format(
            "UPDATE t JOIN (SELECT id FROM t) AS x USING (id, a) SET a = CONCAT('x', :n), sleep = 1 WHERE id = 1"
        )
    )


def test_guests_see_no_comment_and_no_text_of_the_file():
    file = (
        EXAMPLE.replace("[values]", "# sekrit comment\n[values]")
        .replace("'new'", "'sekrit'")
        .replace("apple", "sekrit")
    )
    file = file.replace("state VARCHAR(10) NOT NULL", "state VARCHAR(10) DEFAULT 'sekrit'").replace("'paid'", "5921")
    file = file.replace('name = "order"', 'name = "sekrit"')
    told = "\n".join(for_guests(read(file)))
    assert "sekrit" in file and "sekrit" not in told and "5921" not in told
    assert ":product is one of 3 texts" in told and "SET `state` = [number] WHERE `id` = :order" in told


def test_an_error_names_the_line_of_a_statement_over_several_lines():
    wrong = EXAMPLE.replace("    state VARCHAR(10) NOT NULL,", "    state SECRET(10) NOT NULL,")
    line = wrong[: wrong.index("SECRET")].count("\n") + 1
    with pytest.raises(PlanError, match=f"line {line}, .*SECRET"):
        read(wrong)


def test_a_mark_of_the_byte_order_is_passed_over():
    assert read(f"\ufeff{EXAMPLE}") == read(EXAMPLE)


@pytest.mark.parametrize(
    ("old", "new"), [("rows = 1000\n", "rows = -5\n"), ("weight = 1\n", "weight = 0\n"), ("length = 40", "length = 0")]
)
def test_an_error_names_the_line_of_a_key(old, new):
    wrong = EXAMPLE.replace(old, new)
    line = wrong[: wrong.index(new.strip())].count("\n") + 1
    with pytest.raises(PlanError, match=f"line {line}, "):
        read(wrong)
