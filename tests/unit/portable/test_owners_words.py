"""What an owner's command printed, and where a server was once, is in no file."""

import re

import pytest

from dashboard.portable.write import file_of
from dashboard.records.experiments.models import Experiment, Trial, TrialEvidence
from dashboard.records.servers import actions
from dashboard.records.servers.models import Server
from tests.unit.portable import files

pytestmark = pytest.mark.django_db
PRINTED = (
    "kill: The crash command /usr/local/bin/reset-orders ended with status 255: ssh: connect to host db-test port 22: "
    "Connection refused\nssh: Could not resolve hostname dbprod7: Name or service not known\n"
    "DURASCOPE_PASSWORD_KEYS=abcDEF= Check the server by hand: it may be down."
)
TEXTS = [
    PRINTED,
    "start: The start command could not be run: there is no program reset-orders. Correct the command.",
    "start: The start command reset-orders did not end within 120 s. Check the server by hand: it may be down.",
    "ssh: connect to host db-test port 22: Connection refused",
    "ssh: Could not resolve hostname dbprod7: Name or service not known",
    "DURASCOPE_PASSWORD_KEYS=abcDEF=",
    "dbold7:3306 said no, and so did DBOLD7.example",
]
GONE = r"reset-orders|db-test|dbprod7|abcDEF|dbold7"


@pytest.fixture
def moved(admin):
    """An experiment whose server had another host when it ran."""
    made = files.experiment()
    server = Server.objects.get(pk=made.plan["targets"][0]["server_id"])
    Server.objects.filter(pk=server.pk).update(host="dbold7.example")
    server.refresh_from_db()
    server.host = "dbnew8"
    actions.change(admin, server, "", ["host"])
    return made


@pytest.mark.parametrize("said", TEXTS)
def test_the_output_of_an_owners_command_is_in_no_part_of_the_file(moved, said):
    Trial.objects.filter(experiment=moved).update(error=said)
    for evidence in TrialEvidence.objects.filter(trial__experiment=moved):
        evidence.data |= {"error": said, "problems": [said], "log_lines": [said], "notes": {"said": said}}
        evidence.save()
    Experiment.objects.filter(pk=moved.pk).update(error=said)
    moved.refresh_from_db()
    file = file_of(moved)
    whole = b"\n".join(files.unpacked(file).values()).decode()
    assert not re.findall(rf".{{0,60}}(?:{GONE}).{{0,30}}", whole, re.IGNORECASE)
    assert files.without_marks(file_of(files.imported(file))) == files.without_marks(file)


def test_the_hosts_of_a_server_are_kept_once_each(moved, admin):
    [server] = Server.objects.filter(earlier_hosts=["dbold7.example"])
    for host, port in (("dbnew9", 3306), ("dbnew8", 3306), ("dbnew8", 3307), ("dbnew9", 3307)):
        server.host, server.port, server.earlier_hosts = host, port, []  # as a form that knows nothing of them
        actions.change(admin, server, "", ["host", "port"])
    assert Server.objects.get(pk=server.pk).earlier_hosts == ["dbold7.example", "dbnew8", "dbnew9"]
