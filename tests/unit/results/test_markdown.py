"""A result as Markdown."""

from dashboard.findings.answer import ResultAnswer
from dashboard.findings.recommendation import Recommendation
from dashboard.findings.tested import SpelledOut
from dashboard.pages.results.markdown import markdown

CHOICE = Recommendation("Use 1/1.", ("0/0 lost commits.",), "1/1")
ANSWER = ResultAnswer(("1/1 lost nothing.", "0/0 is faster."), "A commit takes 5 ms.", CHOICE, ())


def test_the_markdown_holds_the_answer_the_choice_and_the_settings():
    text = markdown("Cost?", ANSWER, ["db1, MariaDB"], [SpelledOut("1/1", "sync_binlog=1", "binary log")])
    lines = text.splitlines()
    assert lines[0] == "**Cost?**"
    assert lines[2:4] == ["1/1 lost nothing.", "0/0 is faster."]
    assert "**Use 1/1.**" in lines and "- 0/0 lost commits." in lines and "- A commit takes 5 ms." in lines
    assert "- 1/1 = `sync_binlog=1`: binary log" in lines and "Tested: db1, MariaDB." in lines


def test_without_crashes_it_holds_the_finding():
    text = markdown("Cost?", ResultAnswer(("a is faster (2 to 3).", "more."), "", None, ()), [], [])
    assert "a is faster (2 to 3)." in text and "more." in text


def test_names_are_no_markup():
    text = markdown("[x](http://evil) `a` **b** <img>", ANSWER, [], [SpelledOut("`a`", "b`c")])
    assert "[x](" not in text and "<img>" not in text.replace("\\<img\\>", "")
    assert "`bc`" in text
