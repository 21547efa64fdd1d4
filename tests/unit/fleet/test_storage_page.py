"""The page of storage profiles, and the form that chooses one."""

import html

from dashboard.pages.fleet import views
from dashboard.records.fleet.models import Worker
from tests.markup import flat
from workers.sandbox.storage import PROFILES, parse


def page(client):
    answer = client.get("/workers/storage/")
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def test_the_page_shows_every_storage_profile_with_its_promised_figures(client_in):
    shown = page(client_in)
    for key, profile in PROFILES.items():
        assert f"<code>{key}</code>" in shown and profile.title in shown and profile.source in shown
    assert '<td class="num" data-label="Promised fsync/s" data-value="150.0"> 150 </td>' in flat(shown)


def test_the_slowest_is_first_and_figures_are_those_of_the_device():
    lines = views.profiles()
    assert [line.key for line in lines][:2] == ["sata-7200", "hdd-10k"] and lines[-1].key == "nvme-plp"
    for line in lines:
        assert abs(1000 / line.page_ms - parse(line.key).fsyncs_per_s) < 1e-6
        assert line.large_ms > line.page_ms > line.profile.k_ms


def test_a_host_that_cannot_simulate_a_device_is_named_with_the_fix(client_in):
    Worker.objects.create(host="able", pid=1, abilities={"disk_missing": ""})
    assert "cannot simulate" not in page(client_in)
    Worker.objects.create(host="unable", pid=2, abilities={"disk_missing": "No FUSE. Try: modprobe fuse."})
    shown = page(client_in)
    assert "unable cannot simulate a device" in shown and "modprobe fuse" in shown


def test_every_way_of_writing_that_it_shows_can_be_read(client_in):
    shown = page(client_in)
    for text in ("k=5ms,r=100MB/s", "hdd-10k+log", "hdd-10k+binlog", "hdd-10k+redo"):
        assert f"<code>{text}</code>" in shown and parse(text)
