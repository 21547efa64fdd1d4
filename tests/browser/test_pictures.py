"""The pictures of docs/reproduction.md are taken from real pages, by the charts' own export."""

import struct

import pytest
from django.urls import reverse

from dashboard.reproduction.pictures import MATRIX, Picture
from dashboard.sharing.actions import share
from tests.pictures import take as taking
from tests.pictures.take import take
from tests.unit.results import trials

SHOWN = """({ chartView: { payload, hidden } }) =>
  payload.series.filter((_, at) => !hidden.has(at)).map(({ name }) => name)"""


@pytest.fixture
def address(live_server, transactional_db):
    _, token = share(None, trials.experiment())
    return live_server.url + reverse("sharing:show", args=[token])


def size(path):
    png = path.read_bytes()
    assert png.startswith(b"\x89PNG")
    return struct.unpack(">II", png[16:24])


@pytest.mark.parametrize("chart", ["throughput", "risk", MATRIX])
def test_it_takes_a_picture(page, address, tmp_path, chart):
    wide, high = size(take(page, address, Picture("a", "A1", "r", chart, "", log=chart == "throughput"), tmp_path))
    assert wide > 600 and high > 200


def test_it_shows_only_what_is_asked_for(page, address, tmp_path):
    take(page, address, Picture("a", "A1", "r", "throughput", "", only=("1/1",)), tmp_path)
    assert page.locator("[data-chart=throughput]").evaluate(SHOWN) == ["1/1"]


def test_a_picture_that_is_too_heavy_is_not_kept(page, address, tmp_path, monkeypatch):
    monkeypatch.setattr(taking, "LIMIT_BYTES", 100)
    with pytest.raises(ValueError, match="not written"):
        take(page, address, Picture("a", "A1", "r", "throughput", ""), tmp_path)
    assert not list(tmp_path.iterdir())
