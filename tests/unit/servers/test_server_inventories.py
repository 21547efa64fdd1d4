"""Servers from option files, login paths, inventories and CSV; hostile files cost little and are refused."""

import json
import struct
import time

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES128
from cryptography.hazmat.primitives.ciphers.modes import ECB

from workers.errors import PlanError
from workers.servers.inventory.found import MOST_BYTES, MOST_SERVERS, split_address
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


def test_a_password_that_looks_like_a_size_stays_as_it_is():
    (one,) = found("[client]\nhost=db1\npassword=64K\n").values()
    assert one.password == "64K"


def test_the_account_of_client_is_the_local_server_beside_sections_of_other_programs():
    (one,) = found("[client]\nuser=app\npassword=s3cret\n[mysql]\nprompt=db>\n[mysqldump]\nquick\n").values()
    assert (one.name, one.host, one.user, one.password) == ("localhost", "localhost", "app", SECRET)


@pytest.mark.parametrize(
    ("written", "password"),
    [
        ("abc#def", "abc"), ('"abc#def"', "abc#def"), ('"abc" # x', "abc"), ("# none", ""), (r"abc\s\\d", r"abc \d"),
        (r'"a\"b#c"', 'a"b#c'), (r"'a\'b#c'", "a'b#c"), (r"a\#b", "a\\"), ('"abc"def', '"abc"def'),
        ("abc ; x", "abc ; x"), ("it's # x", "it's # x"), (r'"a\\"', "a\\"),
    ],
)  # fmt: skip
def test_a_value_is_read_as_the_client_reads_it(written, password):
    """Expected is what my_print_defaults of MariaDB 10.11 prints."""
    (one,) = found(f"[client] # mine\nhost = db1 # the primary\npassword = {written}\n").values()
    assert (one.host, one.password) == ("db1", password)


def test_sections_without_an_address_or_an_account_name_no_server():
    with pytest.raises(PlanError, match="names no server"):
        found("[client]\ndefault-character-set=utf8mb4\n")


def test_login_paths_are_read_as_they_are_printed():
    seen = found('[local]\nuser = "root"\npassword = *****\nhost = "localhost"\n[db1]\nuser = "u"\nhost = "db1"\n')
    assert {name: (one.host, one.password) for name, one in seen.items()} == {
        "local": ("localhost", ""), "db1": ("db1", ""),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "tls"),
    [
        ("ssl-verify-server-cert", "verify"), ("loose-ssl_verify_server_cert=1\nssl=0", "verify"), ("ssl", "required"),
        ("ssl=ON\nskip-ssl-verify-server-cert", "required"), ("skip-ssl", "off"), ("ssl=FALSE", "off"),
        ("ssl-ca=/ca.pem", "verify"), ("ssl-ca=/ca.pem\ndisable-ssl-verify-server-cert", "verify"),
        ("ssl-ca=/ca.pem\nssl # x", "verify"), ("ssl-ca=/ca.pem\nskip-ssl", "off"),
        ("ssl-mode=REQUIRED\nssl-ca=/ca.pem", "required"), ("ssl-mode=PREFERRED", ""), ("quick", ""),
    ],
)  # fmt: skip
def test_no_server_loses_the_protection_that_its_option_file_asks_for(lines, tls):
    (one,) = found(f"[client]\nhost=db1\n{lines}\n").values()
    assert (one.tls, one.unread) == (tls, "") and (one.tls_ca == "/ca.pem") == ("ca.pem" in lines)


def test_options_of_tls_that_are_not_read_are_named():
    for line, named in {"ssl-cert=/c.pem": "ssl_cert", "ssl-mode=REQUIERD": "ssl_mode"}.items():
        (one,) = found(f"[client]\nhost=db1\n{line}\n").values()
        assert named in one.unread
    (one,) = found("[client]\nhost=db1\n" + "".join(f"ssl-{n}=1\n" for n in range(9_900))).values()
    assert len(one.unread) <= 200


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
    for broken in (content[:-1], content[:30] + b"x" + content[31:], content[:24] + b"\xff" * 9, content + bytes(4)):
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
    assert (seen["db2"].host, seen["db2"].socket) == ("", "/run/db2.sock") and len(seen) == 2
    listing = {"service": [
        {"service_type": "MYSQL_SERVICE", "service_name": "db3", "address_port": "[2001:db8::1]:3307"},
        {"service_type": "POSTGRESQL_SERVICE", "service_name": "pg", "address_port": "192.0.2.9:5432"},
    ], "agent": []}  # fmt: skip
    (third,) = found(json.dumps(listing)).values()
    assert (third.name, third.host, third.port) == ("db3", "2001:db8::1", "3307")


HOSTS = [f"db0{number}.example.org" for number in (1, 2, 3)]
LISTED = json.dumps(
    {
        "_meta": {"hostvars": {name: {"mysql_port": 3307, "mysql_login_user": "app"} for name in HOSTS}},
        "all": {"children": ["mysql", "web"]},
        "mysql": {"hosts": HOSTS},
        "web": {"hosts": ["web1"]},
    }
)


def test_ansible_as_it_lists_an_inventory():
    seen = found(LISTED)
    assert [name for name, one in seen.items() if not one.why] == HOSTS and seen["web1"].why
    first = seen[HOSTS[0]]
    assert (first.host, first.port, first.user, first.password) == (HOSTS[0], "3307", "app", "")
    assert set(found(LISTED, "mysql")) == {*HOSTS}
    with pytest.raises(PlanError, match="no such group"):
        found(LISTED, "nothing")


def test_a_group_has_the_hosts_of_the_groups_below_it_which_may_hold_each_other():
    groups = {"mysql": {"children": ["a"]}, "a": {"hosts": ["db1"], "children": ["mysql", "b"]}, "b": {"hosts": ["h"]}}
    listing = json.dumps({"_meta": {"hostvars": {}}, **groups})
    assert [name for name, one in found(listing).items() if not one.why] == ["db1", "h"]
    assert set(found(listing, "b")) == {"h"}


@pytest.mark.parametrize("group", [{"vars": {"mysql_port": 3307}, "hosts": ["db1"]}, {"vars": {}}])
def test_variables_of_groups_that_stand_apart_are_refused(group):
    """Ports and accounts would be missing: `--export` writes them so."""
    with pytest.raises(PlanError, match="stand apart") as refused:
        found(json.dumps({"_meta": {"hostvars": {}}, "mysql": group}))
    assert refused.value.fix == "List it again without --export."


@pytest.mark.parametrize("text", ["[mysql]\ndb1\n[mysql:vars]\nuser=app\n", "all: {hosts: {db1: {mysql_port: 1}}}\n"])
def test_the_inventory_itself_is_refused_with_the_command_that_lists_it(text):
    with pytest.raises(PlanError, match="not recognised") as refused:
        found(text)
    assert "ansible-inventory --list" in refused.value.fix


def test_csv_with_any_separator():
    for separator in (",", ";", "\t"):
        rows = [("name", "host", "port", "user", "password"), ("db1", "192.0.2.1", "3307", "app", SECRET)]
        (one,) = found("\n".join(separator.join(row) for row in rows)).values()
        assert (one.name, one.host, one.port, one.user, one.password) == ("db1", "192.0.2.1", "3307", "app", SECRET)


def test_a_server_of_a_csv_without_names_has_that_of_its_host():
    assert set(found("host,port\ndb1,3307\n")) == {"db1"}


def test_csv_rows_may_end_early():
    (one,) = found("name,host,port,user\ndb1,192.0.2.1\n").values()
    assert (one.host, one.port, one.user) == ("192.0.2.1", "", "")


@pytest.mark.parametrize(
    ("address", "host", "port"),
    [
        ("db1:3307", "db1", "3307"),
        ("db1", "db1", ""),
        ("2001:db8::1", "2001:db8::1", ""),
        ("[2001:db8::1]", "2001:db8::1", ""),
        ("[2001:db8::1]:3307", "2001:db8::1", "3307"),
    ],
)
def test_an_address_may_name_a_port(address, host, port):
    assert split_address(address) == (host, port)


def test_a_password_is_in_no_description_of_a_server():
    assert SECRET not in repr(read(f"name,host,password\ndb1,h,{SECRET}\n".encode()))


def test_what_a_file_leaves_out_is_empty():
    (one,) = found("name,host\ndb1,h\n").values()
    assert (one.port, one.user, one.password, one.socket, one.tls) == ("", "", "", "", "")


def test_a_file_may_have_two_megabytes():
    rows = b"name,host\ndb1,h\n"
    with pytest.raises(PlanError, match="larger than 2 MiB"):
        read(rows + b"\n" * ((2 << 20) - len(rows) + 1))
    assert len(read(rows + b"\n" * ((2 << 20) - len(rows)))) == 1


def test_a_value_may_have_1000_characters():
    assert len(read(b"name,host,label\ndb1,h," + b"x" * 1000 + b"\n")) == 1
    with pytest.raises(PlanError, match="more than 1,000 characters"):
        read(b"name,host,label\ndb1,h," + b"x" * 1001 + b"\n")


HOSTILE = {
    "nothing": b"",
    "too large": b"x" * (MOST_BYTES + 1),
    "NUL": b"[mysql]\ndb1\0\n",
    "not UTF-8": b"\xff\xfe[mysql]\n",
    "deep JSON": b"[" * 100_000,
    "JSON of something else": b'{"a": 1}',
    "10,000 hosts": json.dumps({"_meta": {}, "mysql": {"hosts": [f"d{n}" for n in range(10_000)]}}).encode(),
    "10,000 rows": b"name,host\n" + b"".join(b"d%d,h%d\n" % (n, n) for n in range(10_000)),
    "10,000 services": json.dumps({"mysql": [{"service_name": f"d{n}"} for n in range(10_000)]}).encode(),
    "a long name": json.dumps({"_meta": {}, "mysql": {"hosts": ["x" * 100_000]}}).encode(),
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
