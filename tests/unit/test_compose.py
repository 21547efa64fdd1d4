"""deploy/compose.yaml: each service has no more rights than docs/containers.md says."""

import pytest
import yaml

from dashboard.installation.home import PROJECT

DEPLOY = PROJECT / "deploy"
SERVICES = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
CRASH = yaml.safe_load((DEPLOY / "compose.crash.yaml").read_text())["services"]
TOLD = (PROJECT / "docs/containers.md").read_text()


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_is_confined(name):
    service = SERVICES[name]
    assert service["read_only"] and service["cap_drop"] == ["ALL"] and service["security_opt"] == ["no-new-privileges"]
    assert not {"cap_add", "devices", "privileged", "pid", "user"} & service.keys()
    assert name == "secrets" or "healthcheck" in service
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
    assert all(one.endswith(":ro") for one in service["volumes"] if ":/secrets" in one) or name == "secrets"


def test_the_crash_worker_alone_has_more_and_each_right_is_explained():
    assert CRASH.keys() == {"worker"} and "privileged" not in CRASH["worker"]
    for right in (*CRASH["worker"]["cap_add"], *CRASH["worker"]["devices"], *CRASH["worker"]["device_cgroup_rules"]):
        assert f"`{right}`" in TOLD, right


def test_no_secret_is_written_down_and_all_images_have_one_tag():
    text = (DEPLOY / "compose.yaml").read_text()
    assert not [word for word in ("PASSWORD", "SECRET_KEY", "DATABASE_URL") if word in text]
    assert all(one["image"].endswith(":${DURASCOPE_TAG:-latest}") for one in (*SERVICES.values(), *CRASH.values()))


def test_each_image_of_the_file_is_built():
    targets = {one["image"].split("durascope-")[1].split(":")[0] for one in (*SERVICES.values(), *CRASH.values())}
    built = (DEPLOY / "containers/Containerfile").read_text()
    assert all(f" AS {target}\n" in built for target in targets)
    assert all(target in (PROJECT / "scripts/images").read_text() for target in targets)
