"""The logs of several lives."""

from workers.sandbox.logs import Logs


def test_the_logs_of_several_starts_stay_in_order(tmp_path):
    logs = Logs(tmp_path)
    for life in range(12):
        logs.error.write_text(f"life {life}\n")
        logs.keep()
    logs.error.write_text("last\n[ERROR] no\n")
    assert logs.text.splitlines() == [*(f"life {life}" for life in range(12)), "last", "[ERROR] no"]
    assert logs.lines == ("last", "[ERROR] no")
    assert logs.last_words == "[ERROR] no"
    logs.forget()
    assert logs.text == ""


def test_an_empty_log_is_told_as_nothing(tmp_path):
    logs = Logs(tmp_path)
    logs.keep()
    assert logs.last_words == "(nothing)"
    logs.error.write_text("Illegal instruction\n")
    assert logs.last_words == "Illegal instruction"
    logs.error.write_text("x" * 10_000)
    assert logs.last_words == "x" * 1000


def test_a_server_that_crashed_says_where(tmp_path):
    logs = Logs(tmp_path)
    frames = [f"/usr/sbin/mariadbd(part_{n}+0x2e)[0x55d{n:x}]" for n in range(20)]
    logs.error.write_text(
        "\n".join(["ready", "[ERROR] mysqld got signal 11 ;", "This could be", *frames, "The manual"])
    )
    assert logs.last_words.splitlines() == ["[ERROR] mysqld got signal 11 ;", *frames[:12]]
