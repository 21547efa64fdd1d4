"""Two presses of *Register 2 servers*, at the same moment: each server is registered once."""

import re
import threading
from io import BytesIO

import pytest
from django.db import connection
from django.test import Client

from dashboard.records.accounts.role import Role
from dashboard.records.audit.models import Event
from dashboard.records.servers.models import Server
from tests.unit.api.tokens import somebody

pytestmark = pytest.mark.django_db(transaction=True)
TEXT = "name,host,user,password\ndb1,192.0.2.1,app,x\ndb2,192.0.2.2,app,x\n"
PRESSES = 2


def test_two_confirmations_of_one_dry_run_register_each_server_once(transactional_db):
    person = somebody(Role.OPERATOR, "maria")
    clients = [Client() for _ in range(PRESSES)]
    for client in clients:
        client.force_login(person)
    page = clients[0].post("/servers/import/", {"file": BytesIO(TEXT.encode()), "label": "test"}).content.decode()
    sealed = re.search(r'name="sealed" value="([^"]+)"', page)[1]
    together, answers = threading.Barrier(PRESSES), []

    def press(client):
        together.wait(60)
        try:
            answers.append(client.post("/servers/import/", {"sealed": sealed}))
        finally:
            connection.close()

    threads = [threading.Thread(target=press, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [302] * PRESSES
    assert sorted(Server.objects.values_list("name", flat=True)) == ["db1", "db2"]
    assert Event.objects.filter(did="registered").count() == 2
