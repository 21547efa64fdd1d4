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
def test_this_host_can_join_nodes():
    assert ability.missing() == ""


def test_the_host_is_checked_once(monkeypatch):
    asked = []
    monkeypatch.setattr(ability, "CHECKS", (lambda: asked.append(1) or "",))
    assert (ability.missing(), ability.missing(), asked) == ("", "", [1])


def test_the_first_missing_thing_is_named(monkeypatch):
    monkeypatch.setattr(ability, "CHECKS", (lambda: "", lambda: "no tun", lambda: 1 / 0))
    assert ability.missing() == "no tun"


@needs_network
def test_a_partition_that_separates_nobody_is_noticed(monkeypatch):
    monkeypatch.setattr(Network, "link", lambda *_: Mock())
    assert "reached each other in a partition" in ability.missing()


@needs_network
def test_nodes_that_do_not_reach_each_other_are_noticed(monkeypatch):
    genuine = Network.__enter__

    def parted(network):
        for link in genuine(network).links(0):
            link.partition()
        return network

    monkeypatch.setattr(Network, "__enter__", parted)
    monkeypatch.setattr(ability, "ARRIVES_S", 0.1)
    assert "did not reach each other within 0.1 s" in ability.missing()


def test_a_network_that_cannot_be_made_is_reported(monkeypatch):
    def refuse(*_):
        raise SandboxError("No namespace.", "Nothing was made.")

    monkeypatch.setattr(ability, "CHECKS", (ability._a_real_network,))
    monkeypatch.setattr(ability, "Network", refuse)
    assert ability.missing() == "A trial of a network failed: No namespace. Nothing was made."


def test_the_fix_for_a_device_without_permission_is_named(monkeypatch):
    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "open", refuse)
    said = ability._tun()
    assert "/dev/net/tun: Operation not permitted" in said and "modprobe tun" in said and "docker run" in said


@pytest.mark.parametrize("capability", [ability.CAP_NET_ADMIN, ability.CAP_SYS_ADMIN])
def test_each_missing_privilege_is_named(monkeypatch, capability):
    every = (1 << 41) - 1
    monkeypatch.setattr(ability.Path, "read_text", lambda _: f"CapEff:\t{every:016x}\n")
    assert ability._privilege() == ""
    monkeypatch.setattr(ability.Path, "read_text", lambda _: f"CapEff:\t{every & ~(1 << capability):016x}\n")
    assert "Run it as root" in ability._privilege()
