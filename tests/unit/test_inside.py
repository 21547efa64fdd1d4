"""The list of what is inside the package (deploy/wheel/inside.py)."""

import importlib.util

import pytest

from dashboard.installation.home import PROJECT

spec = importlib.util.spec_from_file_location("inside", PROJECT / "deploy/wheel/inside.py")
inside = importlib.util.module_from_spec(spec)
spec.loader.exec_module(inside)

BSD = [{"license": {"id": "BSD-3-Clause"}}]


def listed(*components):
    whole = [{"bom-ref": name, "name": name, "licenses": licences} for name, licences in components]
    graph = [{"ref": "Django", "dependsOn": ["sqlparse", "pytest"]}, {"ref": "pytest", "dependsOn": []}]
    return {"components": whole, "dependencies": graph, "version": 1}


def test_the_list_holds_pinned_packages_and_browser_libraries_with_their_licences():
    environment = listed(("Django", BSD), ("sqlparse", BSD), ("pytest", BSD))
    found = inside.inside(environment, {"django", "sqlparse"})
    assert [one["name"] for one in found["components"]] == ["Django", "sqlparse", "chart.js", "@kurkle/color"]
    assert all(one["licenses"] for one in found["components"])
    assert found["dependencies"] == [{"ref": "Django", "dependsOn": ["sqlparse"]}]


@pytest.mark.parametrize("licences", [[], None])
def test_a_package_without_a_licence_or_not_installed_stops_it(licences):
    with pytest.raises(SystemExit, match="Without a licence: \\['Django'\\]"):
        inside.inside(listed(("Django", licences)), {"django"})
    with pytest.raises(SystemExit, match="Not installed: \\['celery'\\]"):
        inside.inside(listed(("Django", BSD)), {"django", "celery"})


def test_pins_of_other_systems_are_not_expected():
    pins = "Django==5.2 \\\n    --hash=sha256:1\ncolorama==0.4 ; sys_platform == 'win32' \\\npsycopg_C==3.3\n"
    assert inside.pinned_names(pins) == {"django", "psycopg-c"}


def test_the_browser_libraries_are_those_of_the_notice():
    notice = (PROJECT / "NOTICE").read_text()
    assert all(f"{name.replace('chart', 'Chart')} {version}," in notice for name, version in inside.CARRIED)
    script = (PROJECT / "static/vendor/chart.js/chart.umd.min.js").read_text()
    assert f"v{dict(inside.CARRIED)['chart.js']}" in script[:60]
