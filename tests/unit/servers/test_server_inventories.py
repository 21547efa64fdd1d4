"""Servers from option files, login paths, inventories and CSV; hostile files cost little and are refused."""

import json
import struct
import time

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES128
from cryptography.hazmat.primitives.ciphers.modes import ECB

from workers.errors import PlanError
from workers.servers.inventory.found import MOST_BYTES, MOST_SERVERS
from workers.servers.inventory.login_file import folded
from workers.servers.inventory.read import read

SECRET = "s3cret"


def found(text, group=""):
    return {one.name: one for one in read(text if isinstance(text, bytes) else text.encode(), group)}


def test_sections_of_clients_inherit_from_client():
    seen = found(
        "[client]\nuser = app\npassword = 's3cret'\nssl-mode=REQUIRED\n[clientdb1]\nhost=db1.example.org\nport=3307\n"
        "[client-db2]\nhost = db2\nuser=other\n[mysqldump]\nquick\n"
    )
    assert {name: (one.host, one.port, one.user, one.password, one.tls) for name, one in seen.items()} == {
        "db1": ("db1.example.org", "3307", "app", SECRET, "required"), "db2": ("db2", "", "other", SECRET, "required"),
    }  # fmt: skip


def test_a_section_of_its_own_is_the_local_server():
    (one,) = found("[client]\nuser=root\nsocket=/run/mysqld.sock\n").values()
    assert (one.name, one.host, one.socket) == ("localhost", "", "/run/mysqld.sock")


def test_login_paths_are_read_as_they_are_printed():
    seen = found('[local]\nuser = "root"\npassword = *****\nhost = "localhost"\n[db1]\nuser = "u"\nhost = "db1"\n')
    assert {name: (one.host, one.password) for name, one in seen.items()} == {
        "local": ("localhost", ""), "db1": ("db1", ""),
    }  # fmt: skip


def login_file(text, key=bytes(range(20, 40))):
    encryptor = Cipher(AES128(folded(key)), ECB())
    content = bytes(4) + key
    for line in text.splitlines(keepends=True):
        plain = line.encode()
        padding = 16 - len(plain) % 16
        sealed = encryptor.encryptor().update(plain + bytes([padding]) * padding)
        content += struct.pack("<i", len(sealed)) + sealed
    return content


def test_a_login_file_is_decrypted():
    content = login_file(f'[db1]\nuser = "app"\npassword = "{SECRET}"\nhost = "db1.example.org"\nport = 3307\n')
    (one,) = found(content).values()
    assert (one.name, one.host, one.port, one.user, one.password) == ("db1", "db1.example.org", "3307", "app", SECRET)
    for broken in (content[:-1], content[:30] + b"x" + content[31:], content[:24] + b"\xff" * 9):
        with pytest.raises(PlanError, match="cannot be decrypted"):
            read(broken)


def test_the_key_of_a_login_file_is_folded_as_published():
    """By hand: the first four bytes meet the last four."""
    assert folded(bytes(range(20))) == bytes([0 ^ 16, 1 ^ 17, 2 ^ 18, 3 ^ 19, *range(4, 16)])


def test_pmm_by_its_api_and_by_its_list():
    api = {"mysql": [
        {"service_id": "1", "service_name": "db1", "address": "192.0.2.1", "port": 3306, "environment": "production"},
        {"service_name": "db2", "socket": "/run/db2.sock"},
    ], "mongodb": [{"service_name": "m"}]}  # fmt: skip
    seen = found(json.dumps(api))
    assert (seen["db1"].host, seen["db1"].port, seen["db1"].label) == ("192.0.2.1", "3306", "production")
    assert seen["db2"].socket == "/run/db2.sock" and len(seen) == 2
    listing = {"service": [
        {"service_type": "MYSQL_SERVICE", "service_name": "db3", "address_port": "[2001:db8::1]:3307"},
        {"service_type": "POSTGRESQL_SERVICE", "service_name": "pg", "address_port": "192.0.2.9:5432"},
    ], "agent": []}  # fmt: skip
    (third,) = found(json.dumps(listing)).values()
    assert (third.name, third.host, third.port) == ("db3", "2001:db8::1", "3307")


INI = """
web1 ansible_host=192.0.2.80
[mysql]
db[01:03].example.org ansible_port=22 mysql_port=3307
[mysql:vars]
mysql_login_user=app
mysql_login_password={{ vault_password }}
[all_databases:children]
mysql
"""
YAML = """
all:
  children:
    mysql:
      hosts:
        db[01:03].example.org: {ansible_port: 22, mysql_port: 3307}
      vars:
        mysql_login_user: app
        mysql_login_password: !vault |
          $ANSIBLE_VAULT;1.1;AES256
    web: {hosts: {web1: {ansible_host: 192.0.2.80}}}
"""
HOSTS = [f"db0{number}.example.org" for number in (1, 2, 3)]
LISTED = json.dumps(
    {
        "_meta": {"hostvars": {name: {"mysql_port": 3307, "mysql_login_user": "app"} for name in HOSTS}},
        "all": {"children": ["mysql", "web"]},
        "mysql": {"hosts": HOSTS},
        "web": {"hosts": ["web1"]},
    }
)


@pytest.mark.parametrize("text", [INI, YAML, LISTED], ids=["ini", "yaml", "json"])
def test_ansible_in_its_three_forms(text):
    seen = found(text)
    assert [name for name, one in seen.items() if not one.why] == HOSTS and seen["web1"].why
    first = seen[HOSTS[0]]
    assert (first.host, first.port, first.user, first.password) == (HOSTS[0], "3307", "app", "")
    assert set(found(text, "mysql")) == {*HOSTS}
    with pytest.raises(PlanError, match="no such group"):
        found(text, "nothing")


def test_csv_with_any_separator():
    for separator in (",", ";", "\t"):
        rows = [("name", "host", "port", "user", "password"), ("db1", "192.0.2.1", "3307", "app", SECRET)]
        (one,) = found("\n".join(separator.join(row) for row in rows)).values()
        assert (one.name, one.host, one.port, one.user, one.password) == ("db1", "192.0.2.1", "3307", "app", SECRET)


def test_a_password_is_in_no_description_of_a_server():
    assert SECRET not in repr(read(f"name,host,password\ndb1,h,{SECRET}\n".encode()))


BOMB = "a: &a [x,x,x,x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)},*{chr(97 + n)}]\n" for n in range(9)
)
HOSTILE = {
    "nothing": b"",
    "too large": b"x" * (MOST_BYTES + 1),
    "NUL": b"[mysql]\ndb1\0\n",
    "not UTF-8": b"\xff\xfe[mysql]\n",
    "a YAML bomb": BOMB.encode(),
    "a tag that makes an object": b"all: !!python/object/apply:os.system ['true']\n",
    "deep YAML": b"- " * 50_000 + b"x",
    "deep flow YAML": b"all: " + b"[" * 50_000,
    "deep JSON": b"[" * 100_000,
    "JSON of something else": b'{"a": 1}',
    "10,000 hosts in a range": b"[mysql]\ndb[1:10000]\n",
    "10,000 hosts in ranges": b"[mysql]\ndb[1:100][1:100]\n",
    "10,000 rows": b"name,host\n" + b"".join(b"d%d,h%d\n" % (n, n) for n in range(10_000)),
    "10,000 services": json.dumps({"mysql": [{"service_name": f"d{n}"} for n in range(10_000)]}).encode(),
    "a long name": b"[mysql]\n" + b"x" * 100_000 + b"\n",
    "an open quote": b"[mysql]\ndb1 a='\n",
    "a login file of one line that lies": bytes(24) + struct.pack("<i", 2**30),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_are_refused(kind):
    begin = time.process_time()
    with pytest.raises(PlanError) as refused:
        read(HOSTILE[kind])
    assert len(str(refused.value)) < 300 and refused.value.fix
    assert time.process_time() - begin < 20  # without limits some of them never end


def test_the_largest_number_of_servers_is_read():
    text = "name,host\n" + "".join(f"d{n},h{n}\n" for n in range(MOST_SERVERS))
    assert len(read(text.encode())) == MOST_SERVERS
