"""Whether this host can join nodes is found out by joining two."""

import os
from unittest.mock import Mock

import pytest

from tests.real.networks import needs_network
from workers.errors import SandboxError
from workers.topology.network import ability
from workers.topology.network.network import Network


@pytest.fixture(autouse=True)
def asked_anew():
    ability.missing.cache_clear()
    yield
    ability.missing.cache_clear()


@needs_network
def test_it_can():
    assert ability.missing() == ""


def test_it_asks_once(monkeypatch):
    asked = []
    monkeypatch.setattr(ability, "CHECKS", (lambda: asked.append(1) or "",))
    assert (ability.missing(), ability.missing(), asked) == ("", "", [1])


def test_it_names_the_first_thing_missing(monkeypatch):
    monkeypatch.setattr(ability, "CHECKS", (lambda: "", lambda: "no tun", lambda: 1 / 0))
    assert ability.missing() == "no tun"


@needs_network
def test_it_notices_a_partition_that_parts_nobody(monkeypatch):
    monkeypatch.setattr(Network, "link", lambda *_: Mock())
    assert "reached each other in a partition" in ability.missing()


@needs_network
def test_it_notices_nodes_that_do_not_reach_each_other(monkeypatch):
    genuine = Network.__enter__

    def parted(network):
        for link in genuine(network).links(0):
            link.partition()
        return network

    monkeypatch.setattr(Network, "__enter__", parted)
    monkeypatch.setattr(ability, "ARRIVES_S", 0.1)
    assert "did not reach each other within 0.1 s" in ability.missing()


def test_it_tells_when_a_network_cannot_be_made(monkeypatch):
    def refuse(*_):
        raise SandboxError("No namespace.", "Nothing was made.")

    monkeypatch.setattr(ability, "CHECKS", (ability._a_real_network,))
    monkeypatch.setattr(ability, "Network", refuse)
    assert ability.missing() == "A trial of a network failed: No namespace. Nothing was made."


def test_it_tells_what_to_do_about_a_device_it_may_not_open(monkeypatch):
    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "open", refuse)
    said = ability._tun()
    assert "/dev/net/tun: Operation not permitted" in said and "modprobe tun" in said and "docker run" in said


@pytest.mark.parametrize("capability", [ability.CAP_NET_ADMIN, ability.CAP_SYS_ADMIN])
def test_it_misses_each_privilege(monkeypatch, capability):
    every = (1 << 41) - 1
    monkeypatch.setattr(ability.Path, "read_text", lambda _: f"CapEff:\t{every:016x}\n")
    assert ability._privilege() == ""
    monkeypatch.setattr(ability.Path, "read_text", lambda _: f"CapEff:\t{every & ~(1 << capability):016x}\n")
    assert "Run it as root" in ability._privilege()
