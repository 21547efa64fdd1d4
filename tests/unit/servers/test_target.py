"""The address of a server, and what is known of one that was never asked."""

from workers.servers.answered import AnsweredFacts
from workers.servers.target import Target


def test_an_address_is_a_socket_file_or_a_host_with_the_usual_port():
    assert Target("x", "attached", "u", "p", host="db1").where == "db1:3306"
    assert Target("x", "attached", "u", "p", host="db1", port=3307).where == "db1:3307"
    assert Target("x", "attached", "u", "p", host="db1", socket="/run/mysqld.sock").where == "/run/mysqld.sock"


def test_a_target_has_no_host_and_no_authority_of_its_own():
    """With an authority's file that nobody named, no connection could be verified."""
    local = Target("x", "attached", "u", "p", socket="/run/mysqld.sock")
    assert (local.host, local.tls_ca) == ("", "")


def test_a_password_is_in_no_description_of_a_target():
    assert "hunter2" not in repr(Target("x", "attached", "u", "hunter2", host="db1"))


def test_of_a_server_that_never_answered_nothing_is_known():
    never = AnsweredFacts()
    assert not any((never.flavour, never.version_text, never.engines, never.service.key, never.service.sign))
