"""Stored sentences: a changed word is noticed, a new sentence is asked for, and sentences of lost tests go."""

import json

import pytest

from tests import sentences


@pytest.fixture
def kept(tmp_path):
    return sentences.Kept(tmp_path / "x" / "test_y.json", {"test_it"})


def test_a_sentence_that_was_not_stored_is_asked_for(kept):
    with pytest.raises(AssertionError, match="no sentence for test_it"):
        kept.read("test_it")


def test_a_sentence_is_read_as_it_was_written_and_those_of_lost_tests_go(kept, tmp_path):
    kept.write("test_it[a b]", "Verloren: 9 %, größer.")
    sentences.Kept(tmp_path / "x" / "test_y.json", {"test_gone"}).write("test_gone", "?")
    kept.write("test_it[a b]", "Verloren: 9 %, größer.")
    kept.write("test_it the title", ["one", "two"])
    assert kept.read("test_it[a b]") == "Verloren: 9 %, größer."
    stored = json.loads((tmp_path / "x" / "test_y.json").read_text())
    assert stored == {"test_it[a b]": "Verloren: 9 %, größer.", "test_it the title": ["one", "two"]}


def test_a_changed_word_is_noticed(words, monkeypatch, request):
    monkeypatch.setattr(request.config.option, "write_sentences", False)
    monkeypatch.setattr(sentences.Kept, "read", lambda self, key: "All is lost.")
    words("All is lost.")
    with pytest.raises(AssertionError, match="--write-sentences"):
        words("Nothing is lost.")
