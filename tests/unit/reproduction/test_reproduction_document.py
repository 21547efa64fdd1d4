"""docs/reproduction.md is written from the same statements, and tells nobody where the servers are."""

import os
import struct
import zlib

import pytest
from django.core.management import CommandError, call_command

from dashboard.reproduction import document as writing
from dashboard.reproduction.document import document
from dashboard.reproduction.pictures import PICTURES, Picture
from dashboard.reproduction.statements import sections
from tests.pictures.squeeze import SIGNATURE, squeeze
from tests.unit.reproduction import asked
from tests.unit.results import factory, trials
from workers.bench import recipes

PICTURE = Picture("a-picture", "A1", "asked", "throughput", "What it shows.")


def written(tmp_path, *of):
    return document(sections(of or [asked.recipe()], public=True), tmp_path, factory.STARTED)


def test_it_tells_claim_article_measurement_and_machine(db, tmp_path):
    asked.experiment(
        asked.recipe(*asked.EVERY, asked.BEYOND), environment={"version": "5.6.14-log", "kernel": "6.1.0-our-own1"}
    )
    told = written(tmp_path, asked.recipe(*asked.EVERY, asked.BEYOND))
    assert "**1 of 3 statements held, 1 did not, 1 is not decidable.** Measured 2026-03-01. Written 2026-03-01" in told
    assert "| Unsafe is faster. (Server A)<br>`commits per second: 0/0" in told
    assert "| 54 times | " in told
    assert "*Not held.* Group commit came since." in told
    assert "| CPU | Model X |" in told
    assert "| kernel | 6.1.0 |" in told
    assert "sysbench 1.0.20. File systems: ext4." in told
    assert "| 5.6.14 |" in told
    assert "## Beyond the articles" in told
    assert told.count("| A2 |") == 0
    assert "[A2](#a2)" in told


def test_it_tells_no_host_path_or_account(db, tmp_path):
    name = "db7.example.com"
    claim = asked.Claim("A1", f"Faster than {name} in /srv/mysql/data.", "", asked.FASTER, asked.Bounds(above=2))
    experiment = asked.experiment(asked.recipe(claim), changed=["it was measured on /srv/mysql/data"])
    experiment.cells.filter(variant="0/0").update(state="failed", error=f"Cannot connect to {name} as bench_admin.")
    told = written(tmp_path, asked.recipe(claim))
    assert "not decidable" in told
    for secret in (*factory.SECRET.values(), "/srv/mysql", "db7", "/dev/vdb"):
        assert secret not in told, secret


def test_before_anything_was_measured_it_says_so(db, tmp_path):
    told = written(tmp_path)
    assert "None of the 3 statements was measured here yet." in told
    assert "not measured yet | `asked` |" in told
    assert "Where it was measured" not in told


def test_a_text_cannot_break_the_table(db, tmp_path):
    claim = asked.Claim("A1", "a | b\n<script>", "", asked.FASTER, asked.Bounds(above=2))
    assert "| a \\| b &lt;script><br>`" in written(tmp_path, asked.recipe(claim))


@pytest.mark.parametrize(("age_s", "shown"), [(0, True), (-60, False), (None, False)])
def test_a_picture_of_an_older_result_is_left_out(db, tmp_path, monkeypatch, age_s, shown):
    monkeypatch.setattr(writing, "PICTURES", [PICTURE])
    ended = asked.experiment(asked.recipe()).ended_at.timestamp()
    if age_s is not None:
        (tmp_path / "pictures").mkdir()
        (tmp_path / "pictures/a-picture.png").touch()
        os.utime(tmp_path / "pictures/a-picture.png", (ended + age_s, ended + age_s))
    assert ("![What it shows.](pictures/a-picture.png)" in written(tmp_path)) == shown


def test_the_machine_of_crashes_counts_too(db, tmp_path):
    experiment = trials.experiment({"1/1": {"power-loss": trials.HELD * 3}}, measured=0)
    experiment.trials.update(environment=factory.environment_row(version="9.7.4"))
    made = asked.experiment(asked.recipe(), measured=0)
    experiment.trials.update(experiment=made)
    assert "| 9.7.4 |" in written(tmp_path)


def test_the_command_writes_it_and_names_missing_pictures(db, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(recipes, "every", lambda: [asked.recipe(key=PICTURES[0].recipe)])
    asked.experiment(asked.recipe(key=PICTURES[0].recipe))
    call_command("reproduction", to=tmp_path)
    assert (tmp_path / "reproduction.md").read_text().startswith("# Reproduction")
    told = capsys.readouterr()
    assert "1 of 3 statements held" in told.out
    assert f"no picture {PICTURES[0].name}.png" in told.err


def test_the_command_refuses_a_folder_that_is_not_there(db, tmp_path):
    with pytest.raises(CommandError, match=r"There is no folder .* Nothing was written"):
        call_command("reproduction", to=tmp_path / "nowhere")


def test_pictures_are_of_known_recipes_and_variants():
    known = {recipe.key: recipe for recipe in recipes.every()}
    for picture in PICTURES:
        variants = {one.name for one in known[picture.recipe].plan([]).variants}
        assert set(picture.only) <= variants, picture.name
        assert picture.claim in known[picture.recipe].claim_ids, picture.name


def png(rows, level):
    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = struct.pack(">IIBBBBB", 64, len(rows) // 65, 8, 0, 0, 0, 0)
    return SIGNATURE + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, level)) + chunk(b"IEND", b"")


def test_a_squeezed_picture_is_the_same_picture():
    rows = bytes(range(65)) * 40
    assert squeeze(png(rows, 0)) == png(rows, 9)
    assert len(png(rows, 9)) < len(png(rows, 0))


def test_what_is_no_picture_is_refused():
    with pytest.raises(ValueError, match="no PNG"):
        squeeze(b"GIF89a")
