"""A recipe's file says what is wrong with it: the file, the key, and how to fix it."""

import pytest

from workers.bench import recipes
from workers.bench.recipes.recipe_file import read
from workers.errors import PlanError

GOOD = """
title = "Mine"
says = "A question."

[plan]
workloads = [{ key = "update-by-key" }]
threads = [1, 64]
repeats = 2
warmup_s = 1
measure_s = 5
table_rows = 1000

[plan.common]
storage = "k=5ms,r=100MB/s"
settings = { innodb_flush_log_at_trx_commit = "1" }

[plan.axes.server]
"5.5" = { build = "mysql-5.5.34" }
"5.6" = { build = "mysql-5.6.14" }

[plan.axes.binlog]
"off" = { settings = { log_bin = "OFF" } }
"on" = { settings = { log_bin = "ON", sync_binlog = "1" } }

[sizes.full]
threads = [1, 64, 256]

[[claims]]
id = "G3"
says = "The fix brings an order of magnitude."
article = "17 times"
ratio = { variant = "5.6, on", over = { variant = "5.5, on" }, threads = 64 }
above = 10
"""


@pytest.fixture
def written(tmp_path):
    def write(text=GOOD, name="mine.toml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_axes_make_every_combination(written):
    plan = read(written()).plan([])
    assert [variant.name for variant in plan.variants] == ["5.5, off", "5.5, on", "5.6, off", "5.6, on"]
    last = plan.variants[-1]
    assert (last.build, last.storage, last.engine) == ("mysql-5.6.14", "k=5ms,r=100MB/s", "innodb")
    assert last.settings == {"innodb_flush_log_at_trx_commit": "1", "log_bin": "ON", "sync_binlog": "1"}


def test_a_point_names_only_what_the_plan_has_several_of(written):
    ratio = read(written()).claims[0].predicate
    assert ratio.of.workload == ratio.over.workload == "Update one row by key"
    assert (ratio.of.variant, ratio.over.variant, ratio.over.threads) == ("5.6, on", "5.5, on", 64)


def test_a_claim_may_speak_of_the_full_size(written):
    assert read(written(GOOD.replace("threads = 64 }", "threads = 256 }"))).claims[0].predicate.of.threads == 256


CLAIM = 'ratio = { variant = "5.6, on", over = { variant = "5.5, on" }, threads = 64 }'
WRONG = [
    ('title = "Mine"', "", "title is missing. Add it: a text in quotes."),
    ("repeats = 2", 'repeats = "2"', "plan.repeats is '2'. Write a whole number."),
    ("repeats = 2", "repeats = true", "plan.repeats is True. Write a whole number."),
    ("threads = [1, 64]", "threads = []", "plan.threads is []. Write a list of whole numbers"),
    ("table_rows = 1000", "table_rows = 1000\ncolour = 1", "plan.colour is not known here. Known: workloads, threads"),
    ('key = "update-by-key"', 'key = "updates"', "plan.workloads[1].key is 'updates'."),
    ('build = "mysql-5.5.34"', "bild = 1", "plan.axes.server.5.5.bild is not known here. Known: settings, engine"),
    ('log_bin = "OFF"', "log_bin = 0", "plan.axes.binlog.off.settings.log_bin is 0. Write a text in quotes."),
    ("[sizes.full]", "[sizes.huge]", "sizes.huge is not known here. Known: quick, full."),
    ("threads = 64 }", "threads = 8 }", "claims[1].ratio.threads is 8. The plan measures: 1, 64, 256."),
    ('"5.6, on", over', '"5.7, on", over', "claims[1].ratio.variant is '5.7, on'."),
    ('over = { variant = "5.5, on" }', "over = { }", "claims[1].ratio.over is the same point as its divisor."),
    ("above = 10", "", "claims[1] has no bound. Add above = NUMBER, below = NUMBER, or both."),
    ("above = 10", 'above = "10"', "claims[1].above is '10', not a number."),
    ("above = 10", "above = 10\nbelow = 5", "claims[1].above is 10, not less than below = 5."),
    (CLAIM, "", "Give it exactly one of: ratio, value, steps, crashes, outages, flush, round_trips"),
    (CLAIM, 'value = { variant = "5.5, on", threads = 1, figure = "joy" }', "claims[1].value.figure is 'joy'"),
    (CLAIM, 'steps = { variant = "5.5, on", threads = [64, 1] }', "Name at least two numbers of threads, ascending."),
    (CLAIM, 'crashes = { variants = ["5.5, on"], kinds = ["rain"], checks = ["order"] }', "kinds is 'rain'"),
    (CLAIM, 'crashes = { variants = ["5.5, on"], kinds = ["power-loss"] }', "needs checks or lost or happened"),
    (CLAIM, 'flush = { variant = "5.5, on", figure = "joy" }', "claims[1].flush.figure is 'joy'"),
    ("[[claims]]", "[claims]", "claims is {"),
    ("[plan]", "[plan", "mine.toml is not valid TOML"),
]  # fmt: skip


@pytest.mark.parametrize(("good", "bad", "said"), WRONG)
def test_a_bad_recipe_file_is_refused_with_file_reason_and_fix(written, good, bad, said):
    assert good in GOOD
    with pytest.raises(PlanError) as refused:
        read(written(GOOD.replace(good, bad, 1)))
    assert str(refused.value).startswith("mine.toml")
    assert said in str(refused.value)
    assert refused.value.fix


def test_recipes_of_ones_own_stand_beside_the_built_in_ones(written, tmp_path):
    written()
    shelf = recipes.shelf(tmp_path)
    assert shelf.recipes["mine"].is_own
    assert not shelf.recipes["group-commit"].is_own
    assert recipes.load("mine", tmp_path).title == "Mine"


def test_a_broken_file_harms_no_other(written, tmp_path):
    written()
    written("title = 1", "bad.toml")
    shelf = recipes.shelf(tmp_path)
    assert "mine" in shelf.recipes
    assert list(shelf.broken) == ["bad.toml"]
    with pytest.raises(PlanError, match=r"bad\.toml: title is 1"):
        recipes.load("bad", tmp_path)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("group-commit.toml", "there is a built-in recipe of that name"),
        ("My Recipe.toml", "the file name is no key"),
    ],
)
def test_a_recipe_file_with_an_impossible_name_is_refused(written, tmp_path, name, said):
    written(name=name)
    assert said in recipes.shelf(tmp_path).broken[name]
    assert not recipes.shelf(tmp_path).recipes.get(name.removesuffix(".toml"), recipes.load("group-commit")).is_own


def test_a_folder_that_is_not_there_is_no_trouble(tmp_path):
    assert recipes.shelf(tmp_path / "none") == recipes.shelf()
