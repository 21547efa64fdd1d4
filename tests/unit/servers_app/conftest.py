import pytest

from dashboard.records.servers.models import Server
from workers.celery import app


@pytest.fixture
def password():
    return 'p4ssword\'s "own" <quotes>'


@pytest.fixture
def server(db, password):
    """An attached server with a name that tries to break pages."""
    made = Server(name="<b>Bobby\"s 'db'</b> 🐬", kind="attached", host="db.example.org", user="bench", note="<script>")
    made.set_password(password)
    made.save()
    return made


@pytest.fixture
def sandbox(db):
    return Server.objects.create(name="box", kind="sandbox", build="system-mariadb")


@pytest.fixture
def sent_tasks(monkeypatch):
    """Stands for the message queue: the tasks that were sent."""
    notified = []
    monkeypatch.setattr(app, "send_task", lambda name, args, **_: notified.append((name, *args)))
    return notified
