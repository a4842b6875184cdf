"""An address that somebody else gave: what it leads to is tested, and what was tested is what is connected to.

127.0.0.1 plays the allowed machine and 127.0.0.2 a forbidden one: a listener there, the canary, must hear nothing.
Addresses beyond this machine are resolved only, never connected to.
"""

from __future__ import annotations

import math
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from attacks.raw_grpc import bytes_service
from nav_eval_sdk import start
from nav_eval_sdk.client import WIRES, open_transport
from nav_eval_sdk.errors import BadAnswer, Forbidden, Unreachable
from nav_eval_sdk.transport.address import Networks, resolve
from nav_eval_sdk.transport.base import Connection, Deadline, Endpoint
from nav_eval_sdk.transport.probe import probe
from sdk.test_servers import Agent, certificates, client_tls, server_tls  # noqa: F401 - a fixture

HERE = Networks(("127.0.0.1/32",))
CANARY = [
    "127.0.0.2", "127.2", "127.0.2", "2130706434", "0x7f000002", "0X7F000002", "017700000002", "0177.0.0.2", "0177.2",
    "0x7f.2", "0x7f.0.0.2", "0x7f.0x0.0x0.0x2", "127.0.0.0x2", "127.0.0.02", "127.00.00.0002", "0177.0x0.00.2",
    "１２７.０.０.２", "127。0。0。2", "①②⑦.⓪.⓪.②", "[::ffff:127.0.0.2]", "[::ffff:7f00:2]",
    "[0:0:0:0:0:ffff:7f00:0002]", "[::FFFF:127.0.0.2]", "0.0.0.0", "0", "0x0", "00.0", "[::]", "[::1]",
    "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::ffff:0.0.0.0]", "127.0.0.1@127.0.0.2", "127.0.0.1:80@127.0.0.2",
    "http://127.0.0.1:80@127.0.0.2",
]  # fmt: skip
"""Each leads to this machine, and not to 127.0.0.1."""
INNER = [
    "169.254.169.254", "169.254.170.2", "2852039166", "0xa9fea9fe", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]",
    "[64:ff9b:1::a9fe:a9fe]", "[2002:a9fe:a9fe::1]", "[2001:0:a9fe:a9fe::1]", "[::ffff:0:169.254.169.254]",
    "[::169.254.169.254]", "[fd00:ec2::254]", "[fe80::1]", "[fe80::1%lo]", "[::1%lo]", "[fec0::1]", "[ff02::1]",
    "10.0.0.1", "10.1", "172.16.0.1", "172.31.255.254", "192.168.1.1", "3232235777", "100.64.0.1", "100.100.100.200",
    "192.0.0.192", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.1.1.1",
    "240.0.0.1", "255.255.255.255", "0.1.2.3", "168.63.129.16",
    "[2001:db8::1]", "[100::1]", "[5f00::1]", "[3fff::1]",
    "[::ffff:10.0.0.1]", "[64:ff9b::10.0.0.1]",
]  # fmt: skip
"""None is public."""


class Canary:
    """A listener that counts who came."""

    def __init__(self, host: str, family: int = socket.AF_INET) -> None:
        self.heard = 0
        self._listener = socket.socket(family)
        self._listener.bind((host, 0))
        self._listener.listen()
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._hear, daemon=True).start()

    def _hear(self) -> None:
        while True:
            try:
                self._listener.accept()[0].close()
            except OSError:
                return
            self.heard += 1

    def close(self) -> None:
        time.sleep(0.05)
        self._listener.close()


@pytest.fixture
def canary() -> Iterator[Canary]:
    """On all of this machine's addresses."""
    made = Canary("::", socket.AF_INET6) if socket.has_dualstack_ipv6() else Canary("0.0.0.0")
    yield made
    made.close()


def at(form: str, port: int) -> Endpoint:
    return Endpoint.parse(f"{form}:{port}")


@pytest.mark.parametrize("form", CANARY)
def test_a_forbidden_address_is_never_connected_to(canary: Canary, form: str) -> None:
    where = Connection(at(form, canary.port), networks=HERE)
    for protocol, wire in (("rest", "rest-json"), ("grpc", "grpc-unary")):
        transport = open_transport(where, wire)
        with pytest.raises(Forbidden, match="no allowed network"):
            transport.health(Deadline(5))
        transport.drop()
        assert probe(where, protocol, seconds=0.05) == "refused"
    time.sleep(0.02)
    assert canary.heard == 0


@pytest.mark.parametrize("form", [*CANARY[:31], *INNER])
def test_what_is_not_public_is_refused_before_anything_is_sent(form: str) -> None:
    with pytest.raises(Unreachable if "%" in form else Forbidden):  # a system may not know such a scope
        resolve(at(form, 80), Networks(("public",)))


def test_there_are_enough_forbidden_forms() -> None:
    assert len({*CANARY, *INNER}) >= 70


@pytest.mark.parametrize(
    ("names", "inside", "outside"),
    [
        ("any", ["10.0.0.1", "::1", "8.8.8.8", "0.0.0.0"], []),
        ("public", ["8.8.8.8", "2606:4700::1111", "64:ff9b::8.8.8.8", "::ffff:8.8.8.8"], ["10.0.0.1", "127.0.0.1"]),
        ("private", ["10.9.8.7", "172.20.0.1", "192.168.0.9", "fd12::1"], ["8.8.8.8", "127.0.0.1", "169.254.0.1"]),
        ("loopback", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"], ["0.0.0.0", "::", "10.0.0.1"]),
        ("10.1.0.0/16", ["10.1.2.3", "::ffff:10.1.2.3"], ["10.2.0.1", "127.0.0.1"]),
        ("public,10.1.0.0/16", ["8.8.8.8", "10.1.2.3"], ["10.2.0.1"]),
        ("fe80::/10", ["fe80::1", "fe80::1%eth0"], ["fd00::1"]),
    ],
)  # fmt: skip
def test_networks_by_name_and_by_number(names: str, inside: list[str], outside: list[str]) -> None:
    networks = Networks(tuple(names.split(",")))
    assert [address for address in inside if not networks.allow(address)] == []
    assert [address for address in outside if networks.allow(address)] == []


@pytest.mark.parametrize("name", ["", "10.1.0.0/8", "lan", "10.1.0.0/33", "localhost"])
def test_what_is_no_network_is_named(name: str) -> None:
    with pytest.raises(ValueError, match=r"public.*10\.1\.0\.0/16"):
        Networks((name,))


@pytest.mark.parametrize("port", ["", "0", "65536", "9-8", "1-", "-1", "ssh", "80,443", "1-65536", "８０"])
def test_what_is_no_port_is_named(port: str) -> None:
    with pytest.raises(ValueError, match=r"is not a port; write one such as 443"):
        Networks(ports=("443", port))


class Resolver:
    """Names of this test's own. Each look-up takes the next answer; the last one stays."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> None:
        self.asked = 0
        self._answers = answers
        self._real = socket.getaddrinfo
        monkeypatch.setattr(socket, "getaddrinfo", self)

    def __call__(self, host: Any, port: Any, *args: Any, **options: Any) -> Any:
        if host != "team.test":
            return self._real(host, port, *args, **options)
        answer = self._answers[min(self.asked, len(self._answers) - 1)]
        self.asked += 1
        return [row for address in answer for row in self._real(address, port, type=socket.SOCK_STREAM)]


@pytest.mark.parametrize("wire", WIRES)
def test_a_name_that_changes_its_address_after_the_test_gains_nothing(
    monkeypatch: pytest.MonkeyPatch, wire: str
) -> None:
    with start(Agent, protocol=wire.split("-")[0], port=0).wait_loaded() as server:
        canary = socket.create_server(("127.0.0.2", server.port))
        resolver = Resolver(monkeypatch, ["127.0.0.1"], ["127.0.0.2"])
        transport = open_transport(Connection(Endpoint("team.test", server.port), networks=HERE), wire)
        assert transport.health(Deadline(10)).status == "ready"
        assert transport.info(Deadline(10)).name
        assert resolver.asked == 1
        transport.drop()
        with pytest.raises(Forbidden, match=r"127\.0\.0\.2"):
            transport.health(Deadline(10))
        canary.setblocking(False)
        with pytest.raises(BlockingIOError):
            canary.accept()
        canary.close()


@pytest.mark.parametrize("wire", ["rest-json", "grpc-unary"])
def test_one_forbidden_address_among_several_is_enough(monkeypatch: pytest.MonkeyPatch, wire: str) -> None:
    with start(Agent, protocol=wire.split("-")[0], port=0).wait_loaded() as server:
        Resolver(monkeypatch, ["127.0.0.1", "127.0.0.2"], ["127.0.0.2", "127.0.0.1"], ["127.0.0.1", "127.0.0.1"])
        transport = open_transport(Connection(Endpoint("team.test", server.port), networks=HERE), wire)
        for _ in range(2):
            with pytest.raises(Forbidden):
                transport.health(Deadline(10))
        assert transport.health(Deadline(10)).status == "ready"
        transport.drop()


@pytest.mark.parametrize("wire", ["rest-json", "grpc-unary"])
def test_the_next_address_serves_where_the_first_is_closed(monkeypatch: pytest.MonkeyPatch, wire: str) -> None:
    with start(Agent, protocol=wire.split("-")[0], port=0).wait_loaded() as server:
        Resolver(monkeypatch, ["127.0.0.3", "127.0.0.1"])
        transport = open_transport(Connection(Endpoint("team.test", server.port)), wire)
        assert transport.health(Deadline(10)).status == "ready"
        transport.drop()


@pytest.mark.parametrize("wire", ["rest-json", "grpc-unary", "grpc-stream"])
def test_tls_verifies_the_name_and_not_the_address(
    monkeypatch: pytest.MonkeyPatch,
    certificates: Any,  # noqa: F811
    wire: str,
) -> None:
    with start(Agent, protocol=wire.split("-")[0], port=0, tls=server_tls(certificates, mutual=False)) as server:
        server.wait_loaded()
        Resolver(monkeypatch, ["127.0.0.1"])
        for host, fits in ("localhost", True), ("127.0.0.1", True), ("team.test", False):
            networks = Networks(("loopback",))
            connection = Connection(Endpoint(host, server.port), tls=client_tls(certificates), networks=networks)
            transport = open_transport(connection, wire)
            if fits:
                assert transport.health(Deadline(10)).status == "ready"
            else:
                with pytest.raises((Unreachable, BadAnswer)):
                    transport.health(Deadline(5))
            transport.drop()


def test_a_probe_has_three_answers(canary: Canary) -> None:
    for protocol in ("rest", "grpc"):
        with start(Agent, protocol=protocol, port=0, token="right").wait_loaded() as server:
            place = Endpoint.parse(server.endpoint)
            assert probe(Connection(place, "right", networks=HERE), protocol) == "ready"
            assert probe(Connection(place, "wrong", networks=HERE), protocol, 0.5) == "wrong token"
            assert probe(Connection(place, "right", networks=Networks(("public",))), protocol, 0.2) == "refused"
        assert probe(Connection(place, "right", networks=HERE), protocol, 0.2) == "refused"
        assert probe(Connection(Endpoint("127.0.0.1", canary.port)), protocol, 0.2) == "refused"
        assert probe(Connection(Endpoint("no-such-name.invalid", 1), networks=HERE), protocol, 0.2) == "refused"


def test_a_probe_takes_the_same_time_whatever_is_there() -> None:
    with ExitStack() as stack:
        silent, unused = (
            stack.enter_context(socket.create_server(("127.0.0.1", 0))),
            stack.enter_context(socket.socket()),
        )
        unused.bind(("127.0.0.1", 0))  # and does not listen
        speaking = stack.enter_context(bytes_service(lambda line: line.send(b"SSH-2.0-OpenSSH_9.6\r\n")))
        closed = unused.getsockname()[1]
        cases = [
            Connection(Endpoint("127.0.0.1", silent.getsockname()[1])),
            Connection(Endpoint.parse(speaking.endpoint)),
            Connection(Endpoint("127.0.0.1", closed)),
            Connection(Endpoint("127.0.0.2", closed), networks=HERE),
        ]
        least = [math.inf] * len(cases)  # of several, because a busy machine is slow now and then
        for number, connection in list(enumerate(cases)) * 4:
            begun = time.monotonic()
            assert probe(connection, "rest", 0.3) == "refused"
            least[number] = min(least[number], time.monotonic() - begun)
    assert min(least) >= 0.3
    assert max(least) - min(least) < 0.15
