"""A table of an own transaction may be written as SHOW CREATE TABLE prints it."""

from dataclasses import replace

import pytest

from tests.own_transactions import EXAMPLE
from workers.bench.own_review import problems
from workers.bench.plan import Plan, PlanTarget, Variant, WorkloadChoice
from workers.bench.workloads import OWN
from workers.errors import PlanError
from workers.transaction.predict import why_not
from workers.transaction.read import read

# MariaDB 10.11 and MySQL 8.0.33 print these.
ORDERS = """CREATE TABLE `orders` (
  `id` bigint(20) NOT NULL,
  `customer` bigint(20) unsigned DEFAULT NULL,
  `state` varchar(10) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL DEFAULT 'it''s' COMMENT 'new; paid',
  `kind` enum('a','b') DEFAULT NULL,
  `marks` set('x','y') DEFAULT NULL,
  `price` decimal(10,2) DEFAULT 0.50,
  `placed_at` timestamp(6) NOT NULL DEFAULT current_timestamp(6) ON UPDATE current_timestamp(6),
  `note` longtext DEFAULT NULL,
  PRIMARY KEY (`id`),
  UNIQUE KEY `once` (`customer`,`state`(4)) USING BTREE COMMENT 'k',
  KEY `of_customer` (`customer`),
  CONSTRAINT `orders_1` FOREIGN KEY (`customer`) REFERENCES `customers` (`id`) ON DELETE SET NULL ON UPDATE NO ACTION
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8 COMMENT='a'"""
CUSTOMERS = """CREATE TABLE `customers` (
  `id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `name` varchar(40) NOT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB AUTO_INCREMENT=4611686018427387 DEFAULT CHARSET=latin1 COLLATE=latin1_swedish_ci"""
PLAN = Plan(
    name="p", targets=(PlanTarget(1, "db1"),), variants=(), workloads=(), threads=(1,), repeats=1, warmup_s=0,
    measure_s=1, table_rows=100, seed=1,
)  # fmt: skip
FILE = """title = "t"
[values]
n = {{ kind = "sequence" }}
{}
[[transactions]]
statements = ["INSERT INTO orders (id, state) VALUES (:n, 'new')"]
"""


def of(*creates: str) -> str:
    return FILE.format("\n".join(f'[[tables]]\ncreate = """{one}"""' for one in creates))


def test_the_text_of_show_create_table_is_read_and_can_be_crashed():
    found = read(of(CUSTOMERS, ORDERS))
    orders = found.table("orders")
    assert orders.engine == "InnoDB" and orders.keys == {"id", "customer"}
    assert orders.refers == {("customers", "id")}
    assert orders.columns["state"].length == 10 and orders.columns["customer"].kind == "BIGINT"
    assert [*orders.columns] == ["id", "customer", "state", "kind", "marks", "price", "placed_at", "note"]
    assert why_not(found) == ""


def test_the_engine_comes_from_the_plan_and_numbers_begin_at_one():
    """Rows from before the load could else have the numbers of the load."""
    create = read(of(ORDERS, CUSTOMERS)).table("customers").create
    assert create.endswith(") CHARSET = latin1 COLLATE = latin1_swedish_ci")
    assert "4611686018427387" not in create and "ENGINE" not in create
    assert next(read(of(ORDERS, CUSTOMERS)).create("Aria")).endswith(" ENGINE = Aria")


def test_a_table_is_made_after_those_that_it_refers_to():
    plain = "CREATE TABLE first (id BIGINT PRIMARY KEY)"
    items = "CREATE TABLE items (id BIGINT PRIMARY KEY, o BIGINT, FOREIGN KEY (o) REFERENCES orders (id))"
    tables = [one.name for one in read(of(plain, items, ORDERS, CUSTOMERS)).tables]
    assert tables == ["first", "customers", "orders", "items"]
    own = "CREATE TABLE tree (id BIGINT PRIMARY KEY, up BIGINT, FOREIGN KEY (up) REFERENCES tree (id))"
    assert read(of(own, ORDERS, CUSTOMERS)).tables[0].name == "tree"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("REFERENCES `customers` (`id`)", "REFERENCES `users` (`id`)"), "refers to users"),
        (("REFERENCES `customers` (`id`)", "REFERENCES `state` (`id`)"), "refers to state"),
        (("REFERENCES `customers` (`id`)", "REFERENCES `Customers` (`id`)"), "refers to Customers"),
        (("REFERENCES `customers` (`id`)", "REFERENCES `customers` (`secret`)"), r"customers \(secret\)"),
        (("REFERENCES `customers` (`id`)", "REFERENCES `mysql`.`user` (`id`)"), "dot"),
        (("ROW_FORMAT=COMPRESSED", "DATA DIRECTORY='/tmp'"), "DATA is no option"),
        (("ROW_FORMAT=COMPRESSED", "TABLESPACE=mysql"), "TABLESPACE is no option"),
        (("ROW_FORMAT=COMPRESSED", "DEFAULT ENCRYPTION='Y'"), "ENCRYPTION is no option"),
        (("ROW_FORMAT=COMPRESSED", "CONNECTION='mysql://a@b/c'"), "CONNECTION is no option"),
        (("ROW_FORMAT=COMPRESSED", "UNION=(customers)"), "UNION is no option"),
        (("ROW_FORMAT=COMPRESSED", "ROW_FORMAT"), "= is no option"),
        (("ROW_FORMAT=COMPRESSED", "ROW_FORMAT=(1)"), "ROW_FORMAT has no value"),
        (("ROW_FORMAT=COMPRESSED", "DEFAULT"), "KEY_BLOCK_SIZE is no option"),
        (("ENGINE=InnoDB", "ENGINE=`x`"), "ENGINE has no value"),
        (("COMMENT='a'", "COMMENT=a"), "COMMENT has no value"),
        (("COMMENT='a'", "COMMENT="), "COMMENT has no value"),
        (("COMMENT='a'", "COMMENT='a' PARTITION BY HASH (`id`)"), "PARTITION is not supported"),
        (("COMMENT='a'", "/*!50100 PARTITION BY HASH (`id`) */"), "only some servers read"),
        (("COMMENT='a'", "COMMENT='a' AS SELECT 1"), "copied table"),
        (("COMMENT='a'", "COMMENT='a';"), "semicolon"),
        (("longtext DEFAULT NULL", "longtext DEFAULT NULL CHECK (json_valid(`note`))"), "CHECK is not supported"),
        (("longtext DEFAULT NULL", "int GENERATED ALWAYS AS (1) VIRTUAL"), "generated column is not supported"),
        (("longtext DEFAULT NULL", "int /*!80023 INVISIBLE */"), "only some servers read"),
        (("KEY `of_customer`", "FULLTEXT KEY `of_customer`"), "FULLTEXT index is not supported"),
        (("longtext DEFAULT NULL", "longtext, KEY `e` ((sleep(1)))"), "sleep is no function"),
        (("longtext DEFAULT NULL", "longtext, `sleep` int, KEY `e` ((`sleep`(1)))"), "expressions"),
        (("longtext DEFAULT NULL", "longtext, `sleep` int DEFAULT `sleep`(1)"), "sleep is no function"),
        (("longtext DEFAULT NULL", "longtext, `sleep` int, KEY `e` (`id`, (`sleep`(1)))"), "expressions"),
        (("latin1_bin", "sleep(1)"), "sleep is no function"),
        (("set('x','y')", "set(sleep(1))"), "sleep is no function"),
        (("COMMENT 'new; paid'", "COMMENT (sleep(1))"), "sleep is no function"),
    ],
)
def test_what_cannot_be_followed_is_refused_with_its_reason(change, why):
    assert change[0] in ORDERS
    with pytest.raises(PlanError, match=why):
        read(of(CUSTOMERS, ORDERS.replace(*change)))


def test_tables_that_refer_to_each_other_are_refused():
    back = CUSTOMERS.replace("PRIMARY KEY (`id`)", "PRIMARY KEY (`id`), FOREIGN KEY (`id`) REFERENCES `orders` (`id`)")
    with pytest.raises(PlanError, match="customers, orders refer to each other in a circle"):
        read(of(back, ORDERS))


@pytest.mark.parametrize("statement", ["UPDATE customers SET id = 1 WHERE id = :n", "DELETE FROM orders WHERE id = :n"])
@pytest.mark.parametrize("rule", ["SET NULL", "CASCADE"])
def test_a_change_that_a_foreign_key_carries_on_cannot_be_crashed(rule, statement):
    text = of(CUSTOMERS, ORDERS.replace("SET NULL", rule).replace("NO ACTION", rule))
    insert = "INSERT INTO customers (id, name) VALUES (:n, 'x')"
    text = text.replace("bigint(20) unsigned", "bigint(20)").replace(" AUTO_INCREMENT,", ",")
    text = text.replace('statements = ["', f'statements = ["{insert}", "').replace(
        "'new')\"", f'\'new\')", "{statement}"'
    )
    assert why_not(read(text))


@pytest.mark.parametrize(
    ("engines", "says"), [(["innodb"], 0), (["INNODB"], 0), (["aria"], 2), (["innodb", "aria"], 2)]
)
def test_another_engine_than_the_plans_is_named(engines, says):
    variants = tuple(Variant(str(n), {}, engine=one) for n, one in enumerate(engines))
    workload = WorkloadChoice("own", OWN, {"file": of(CUSTOMERS, ORDERS)})
    plan = replace(PLAN, workloads=(workload,), variants=variants)
    found = [*problems(plan)]
    assert len(found) == says and all("ENGINE=InnoDB" in one and "aria" in one for one in found)


def test_the_example_names_no_engine():
    assert {one.engine for one in read(EXAMPLE).tables} == {""}
