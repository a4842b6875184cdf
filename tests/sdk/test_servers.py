"""The scaffold over real sockets: tokens, TLS and mutual TLS, limits, health, problems."""

from __future__ import annotations

import datetime
import http.client
import ipaddress
import json
import resource
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import grpc
import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from nav_eval_sdk import ServerTls, TestClient, VLNAgent, cli, start
from nav_eval_sdk.client import WIRES, synthetic_episode
from nav_eval_sdk.conformance import Target, check
from nav_eval_sdk.errors import BadAnswer, DeadlineMissed, Refused, Unreachable
from nav_eval_sdk.protocol.grpc import message_class
from nav_eval_sdk.protocol.messages import ActionSpec, EpisodeData, TensorSpec
from nav_eval_sdk.server.settings import UnsafeAddress
from nav_eval_sdk.transport.base import Ask, ClientTls, Endpoint
from patience import PATIENCE, until

SPECS = {"rgb": TensorSpec(shape=(240, 320, 3), dtype="uint8")}
OBSERVATION = {"rgb": np.random.default_rng(0).integers(0, 256, (240, 320, 3), np.uint8)}


class Agent(VLNAgent):
    held: threading.Event | None = None

    def reset(self, episode: dict[str, Any]) -> None:
        self.total = 0

    def act(self, observation: dict[str, Any]) -> str:
        if self.held:
            self.held.wait(PATIENCE)
        self.total += int(observation["rgb"].sum())
        return "move_forward" if observation["rgb"].tobytes() == OBSERVATION["rgb"].tobytes() else "stop"


def episode() -> EpisodeData:
    return synthetic_episode(SPECS, {"move_forward": ActionSpec(), "stop": ActionSpec()})


def play(client: TestClient, steps: int = 5) -> None:
    client.reset(episode())
    for step in range(steps):
        assert client.act(OBSERVATION).step == step
    client.end()
    client.close()


USES = dict.fromkeys(
    ("content_commitment", "key_encipherment", "data_encipherment", "key_agreement", "encipher_only", "decipher_only"),
    False,
) | {"digital_signature": True}
"""Python 3.13 asks authorities for what RFC 5280 asks: the use of a key, and both identifiers."""


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An authority, and certificates of a server and a client signed by it."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    folder = tmp_path_factory.mktemp("tls")
    now = datetime.datetime(2024, 1, 1)

    def make(name: str, issuer: tuple[Any, Any] | None) -> tuple[Any, Any]:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        signer = issuer or (None, key)
        usage = dict.fromkeys(("key_cert_sign", "crl_sign"), issuer is None)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer[0].subject if issuer else subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now)
            .not_valid_after(now + datetime.timedelta(days=36500))
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
            .add_extension(x509.KeyUsage(**USES | usage), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signer[1].public_key()), critical=False)
            .sign(signer[1], hashes.SHA256())
        )
        (folder / f"{name}.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        (folder / f"{name}.key").write_bytes(key.private_bytes(encoding, form, serialization.NoEncryption()))
        return certificate, key

    authority = make("authority", None)
    make("server", authority)
    make("client", authority)
    make("stranger", None)
    return folder


def server_tls(folder: Path, *, mutual: bool) -> ServerTls:
    authority = str(folder / "authority.pem") if mutual else None
    return ServerTls(str(folder / "server.pem"), str(folder / "server.key"), authority)


def client_tls(folder: Path, name: str | None = None, authority: str = "authority") -> ClientTls:
    pair = (str(folder / f"{name}.pem"), str(folder / f"{name}.key")) if name else (None, None)
    return ClientTls(str(folder / f"{authority}.pem"), *pair)


@pytest.mark.parametrize("wire", WIRES[::2])
def test_check_waits_for_a_service_that_loads(wire: str) -> None:
    loaded = threading.Event()

    class Loading(Agent):
        def __init__(self) -> None:
            loaded.wait(PATIENCE)

    with start(Loading, protocol=wire.split("-")[0], port=0) as server:
        threading.Timer(1.0, loaded.set).start()
        assert [finding for finding in check(Target(server.endpoint, wire), steps=1) if not finding.ok] == []


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("mutual", [False, True])
def test_tls_carries_whole_episodes(certificates: Path, wire: str, mutual: bool) -> None:
    with start(Agent, protocol=wire.split("-")[0], port=0, tls=server_tls(certificates, mutual=mutual)) as server:
        server.wait_loaded()
        name = "client" if mutual else None
        play(TestClient(server.endpoint, wire=wire, tls=client_tls(certificates, name)), steps=8)


@pytest.mark.parametrize("wire", ["rest-json", "grpc-unary"])
def test_health_and_check_of_a_service_with_tls(certificates: Path, wire: str) -> None:
    protocol = wire.split("-")[0]
    with start(Agent, protocol=protocol, port=0, tls=server_tls(certificates, mutual=False)).wait_loaded() as server:
        asked = ["health", server.endpoint, "--protocol", protocol]
        for more, code in ([], 1), (["--ca", str(certificates / "authority.pem")], 0):
            with pytest.raises(SystemExit) as ended:
                cli.main([*asked, *more])
            assert (ended.value.code or 0) == code
        found = list(check(Target(server.endpoint, wire, timeout=5)))
    assert not found[0].reached
    assert "--ca FILE" in found[0].detail


@pytest.mark.parametrize("wire", ["rest-msgpack", "grpc-unary"])
@pytest.mark.parametrize("case", ["another authority", "no certificate", "a stranger's certificate", "no tls"])
def test_tls_refuses(certificates: Path, wire: str, case: str) -> None:
    given = {
        "another authority": ("client", "stranger"),
        "no certificate": (),
        "a stranger's certificate": ("stranger",),
    }
    tls = client_tls(certificates, *given[case]) if case in given else None
    with start(Agent, protocol=wire.split("-")[0], port=0, tls=server_tls(certificates, mutual=True)) as server:
        server.wait_loaded()
        client = TestClient(server.endpoint, wire=wire, tls=tls, timeout=5)
        with pytest.raises((Unreachable, BadAnswer)):
            client.info()
        play(TestClient(server.endpoint, wire=wire, tls=client_tls(certificates, "client")))


@pytest.mark.parametrize("wire", WIRES)
def test_every_call_needs_the_token(wire: str) -> None:
    with start(Agent, protocol=wire.split("-")[0], port=0, token="right").wait_loaded() as server:
        play(TestClient(server.endpoint, wire=wire, token="right"), steps=2)
        for token in (None, "wrong", "Right"):
            client = TestClient(server.endpoint, wire=wire, token=token)
            observe = TestClient(server.endpoint, wire=wire, token="right")
            observe.reset(episode())
            ask = observe.ask(OBSERVATION)
            reset, act = lambda c=client: c.reset(episode()), lambda c=client, a=ask: c.transport.act(a, c.deadline())
            for call in (client.info, client.health, client.validate, reset, act):
                with pytest.raises(Refused, match="unauthorized"):
                    call()
            observe.end()


def test_a_public_address_needs_a_token() -> None:
    for host in ("0.0.0.0", "::", ""):
        with pytest.raises(UnsafeAddress, match="--token"):
            start(Agent, host=host, port=0)
    for options in ({"token": "t"}, {"insecure": True}):
        start(Agent, host="0.0.0.0", port=0, **options).stop()


@pytest.mark.parametrize("wire", ["rest-json", "grpc-unary", "grpc-stream"])
def test_health_answers_while_the_agent_thinks(wire: str) -> None:
    class Slow(Agent):
        held = threading.Event()

    with start(Slow, protocol=wire.split("-")[0], port=0).wait_loaded() as server:
        client = TestClient(server.endpoint, wire=wire)
        client.reset(episode())
        thread = threading.Thread(target=lambda: client.act(OBSERVATION), daemon=True)
        thread.start()
        for _ in range(20):
            other = TestClient(server.endpoint, wire=wire, timeout=PATIENCE)
            assert other.health().status == "ready"
            other.close()
        assert thread.is_alive()
        Slow.held.set()
        thread.join(PATIENCE)
        client.close()


@pytest.mark.parametrize(
    ("wire", "tls"), [("rest-json", False), ("rest-msgpack", True), ("grpc-unary", False), ("grpc-stream", True)]
)
def test_a_stop_does_not_wait_for_a_client_that_left_while_the_agent_thought(
    certificates: Path, wire: str, tls: bool
) -> None:
    class Stuck(Agent):
        held = threading.Event()

    given = server_tls(certificates, mutual=False) if tls else None
    server = start(Stuck, protocol=wire.split("-")[0], port=0, tls=given, max_sessions=2)
    with server.wait_loaded():
        leaves, stays = (
            TestClient(server.endpoint, wire=wire, timeout=seconds, tls=client_tls(certificates) if tls else None)
            for seconds in (1, 30)
        )
        for client in (leaves, stays):
            client.reset(episode())
        waiting = threading.Thread(target=stays.act, args=(OBSERVATION,), daemon=True)
        waiting.start()
        with pytest.raises(DeadlineMissed):
            leaves.act(OBSERVATION)
        server.service.drain(2.5)
        assert server.service.health().detail == "1 of 2 sessions"
        Stuck.held.set()
        waiting.join(10)
        assert not waiting.is_alive()
        stays.end()
        assert server.service.health().detail == "0 of 2 sessions"


@pytest.mark.parametrize("wire", ["rest-json", "grpc-unary", "grpc-stream"])
def test_the_last_end_of_an_episode_is_answered_by_a_service_that_stops(
    wire: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = start(Agent, protocol=wire.split("-")[0], port=0).wait_loaded()
    end = server.service.end

    def slow_end(data: Any) -> Any:
        ended = end(data)
        time.sleep(0.4)
        return ended

    monkeypatch.setattr(server.service, "end", slow_end)
    client = TestClient(server.endpoint, wire=wire)
    client.reset(episode())
    client.act(OBSERVATION)
    stopping = threading.Thread(target=server.stop, args=(PATIENCE,))
    stopping.start()
    client.end()
    client.close()
    stopping.join(PATIENCE)
    assert not stopping.is_alive()


def repeat(client: TestClient, ask: Ask, answers: list[str]) -> None:
    try:
        answers.append(client.transport.act(ask, client.deadline()).action)
    except Refused as refused:
        answers.append(refused.problem.code)


def test_many_impatient_retries_do_not_starve_the_service() -> None:
    class Stuck(Agent):
        held = threading.Event()

    with start(Stuck, port=0).wait_loaded() as server:
        client = TestClient(server.endpoint)
        client.reset(episode())
        ask = client.ask(OBSERVATION)
        waiting: list[threading.Thread] = []
        answers: list[str] = []
        for _ in range(30):
            impatient = TestClient(server.endpoint)
            waiting.append(threading.Thread(target=repeat, args=(impatient, ask, answers), daemon=True))
            waiting[-1].start()
        until(lambda: len(answers) == 29, "all but one to have been superseded")
        assert TestClient(server.endpoint, timeout=PATIENCE).health().status == "ready"
        Stuck.held.set()
        for thread in waiting:
            thread.join(PATIENCE)
        assert sorted(map(str, answers)) == ["move_forward"] + 29 * ["superseded"]


@pytest.fixture(scope="module")
def rest() -> Iterator[str]:
    with start(Agent, port=0).wait_loaded() as server:
        yield server.endpoint


def post(endpoint: str, path: str, body: bytes, kind: str) -> tuple[int, Any, str]:
    connection = http.client.HTTPConnection(endpoint, timeout=PATIENCE)
    connection.request("POST", path, body, {"Content-Type": kind})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, response.headers.get_content_type(), text


JSON, MSGPACK = "application/json", "application/msgpack"


@pytest.mark.parametrize(
    ("path", "body", "kind", "status", "code"),
    [
        ("agent/act", b"{", JSON, 400, "bad_request"),
        ("agent/act", b"\xc1", MSGPACK, 400, "bad_request"),
        ("agent/act", b"[" * 50_000, JSON, 400, "bad_request"),
        ("agent/act", b"{}", "text/plain", 415, "unsupported_media_type"),
        ("agent/act", b"{}", JSON, 400, "bad_request"),
        ("agent/act", b'{"observation": {}}', JSON, 404, "unknown_session"),
        ("episode/reset", b"{}", JSON, 400, "bad_request"),
        ("episode/reset", b'{"episode_id": 1, "scene_id": "s"}', JSON, 400, "bad_request"),
        ("nowhere", b"{}", JSON, 404, "not_found"),
        ("info", b"{}", JSON, 405, "method_not_allowed"),
    ],
)
def test_problems_are_json_with_a_code(rest: str, path: str, body: bytes, kind: str, status: int, code: str) -> None:
    got, content_type, text = post(rest, f"/api/v1/{path}", body, kind)
    problem = json.loads(text)
    assert (got, content_type) == (status, "application/problem+json")
    assert (problem["code"], problem["status"]) == (code, status)
    assert "Traceback" not in text


ANNOUNCED = b"POST /api/v1/agent/act HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n"


def test_a_body_over_the_limit_is_not_read() -> None:
    with start(Agent, port=0, max_message=100_000).wait_loaded() as server:
        connection = socket.create_connection(("127.0.0.1", server.port))
        connection.sendall(ANNOUNCED % 999_999_999 + b" " * 9)
        assert b"413" in connection.recv(1000)
        connection.close()
        play(TestClient(server.endpoint, wire="rest-msgpack"), 0)
    with start(Agent, protocol="grpc", port=0, max_message=100_000).wait_loaded() as server:
        client = TestClient(server.endpoint, wire="grpc-unary")
        client.reset(episode())
        with pytest.raises((Refused, BadAnswer)):
            client.act(OBSERVATION)
        client.close()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="resident memory is read from /proc")
def test_a_body_that_is_announced_and_not_sent_costs_nothing() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()

    with start(Agent, port=0).wait_loaded() as server:
        before = resident()
        held = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(5)]
        for connection in held:
            connection.sendall(ANNOUNCED % (200 << 20) + b" " * 1000)
        time.sleep(0.3)
        play(TestClient(server.endpoint), 0)
        assert resident() - before < 100 << 20
        for connection in held:
            connection.close()


def test_a_compressed_message_is_not_unpacked() -> None:
    """8 MiB of blanks in 8 KiB: nothing compressed is taken, so memory does not grow."""
    with start(Agent, protocol="grpc", port=0).wait_loaded() as server:
        channel = grpc.insecure_channel(server.endpoint)
        with pytest.raises(grpc.RpcError) as caught:
            channel.unary_unary("/nav_eval.v1.InferenceService/GetAction")(
                b" " * (8 << 20), compression=grpc.Compression.Gzip, timeout=PATIENCE
            )
        assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED
        channel.close()
        play(TestClient(server.endpoint, wire="grpc-unary"))


@pytest.mark.parametrize("wire", WIRES)
def test_a_message_larger_than_the_declared_observations_is_refused(wire: str) -> None:
    larger = {"rgb": TensorSpec(shape=(1000, 2000, 3), dtype="uint8")}
    with start(Agent, protocol=wire.split("-")[0], port=0).wait_loaded() as server:
        client = TestClient(server.endpoint, wire=wire)
        client.reset(episode())
        ask = replace(client.ask(OBSERVATION), specs=larger, observation={"rgb": np.zeros((1000, 2000, 3), np.uint8)})
        with pytest.raises(Refused, match="too_large"):
            client.transport.act(ask, client.deadline())
        client.close()


@pytest.mark.parametrize("spec", [TensorSpec(shape=(4,), dtype="O"), TensorSpec(shape=(1 << 40,), dtype="uint8")])
def test_observations_that_nobody_should_allocate_are_refused_at_reset(spec: TensorSpec) -> None:
    with start(Agent, port=0).wait_loaded() as server:
        with pytest.raises(Refused, match="observation_spec"):
            TestClient(server.endpoint).reset(synthetic_episode({"x": spec}, {}))
        play(TestClient(server.endpoint))


@pytest.mark.parametrize("kind", ["application/json", "application/msgpack"])
def test_a_body_may_come_in_pieces_or_in_chunks(kind: str) -> None:
    codec: Any = msgspec.json if kind.endswith("json") else msgspec.msgpack
    body = codec.encode(episode())
    head = f"POST /api/v1/episode/reset HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\n"
    chunked = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (body[:7], body[7:])) + b"0\r\n\r\n"
    with start(Agent, port=0, max_sessions=2, idle_timeout=0.0).wait_loaded() as server:
        for headers, sent in ((f"Content-Length: {len(body)}", body), ("Transfer-Encoding: chunked", chunked)):
            connection = socket.create_connection(("127.0.0.1", server.port))
            message = (head + headers + "\r\n\r\n").encode() + sent
            for begin in range(0, len(message), 150):
                connection.sendall(message[begin : begin + 150])
                time.sleep(0.001)
            assert b"200 OK" in connection.recv(10_000)
            connection.close()


def test_the_standard_health_service() -> None:
    with start(Agent, protocol="grpc", port=0, token="t").wait_loaded() as server:
        with grpc.insecure_channel(server.endpoint) as channel:
            answer = channel.unary_unary("/grpc.health.v1.Health/Check")(b"", timeout=PATIENCE)
        assert message_class("grpc.health.v1.HealthCheckResponse").FromString(answer).status == 1


def test_one_object_serves_one_session() -> None:
    with start(Agent(), port=0).wait_loaded() as server:
        play(TestClient(server.endpoint))
    with pytest.raises(ValueError, match="class"):
        start(Agent(), port=0, max_sessions=2)


@pytest.mark.parametrize(
    ("agent", "wrong"),
    [
        ("random", {}), (None, {}), (dict, {}), (Agent, {"port": 99999}), (Agent, {"port": -1}),
        (Agent, {"max_sessions": 0}), (Agent, {"max_batch": 0}), (Agent, {"max_wait": float("nan")}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_what_cannot_be_served_is_refused_before_it_listens(protocol: str, agent: Any, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong), "is no agent")):
        start(agent, **{"protocol": protocol, "port": 0, **wrong})


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_a_certificate_that_is_not_there_is_named(protocol: str) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.pem"):
        start(Agent, protocol=protocol, port=0, tls=ServerTls("nowhere.pem", "nowhere.key"))


def test_an_unknown_protocol() -> None:
    with pytest.raises(ValueError, match="rest, grpc"):
        start(Agent, protocol="soap", port=0)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("localhost:1", Endpoint("localhost", 1)),
        ("localhost", Endpoint("localhost", 8085)),
        ("[::1]:9", Endpoint("::1", 9)),
        ("https://a.b/c/", Endpoint("a.b", 8085, secure=True, path="/c")),
        ("grpcs://a.b:7", Endpoint("a.b", 7, secure=True)),
        ("https+join://a.b:443/lab", Endpoint("a.b", 443, secure=True, path="/lab", joined=True)),
    ],
)
def test_endpoints(text: str, meant: Endpoint) -> None:
    assert Endpoint.parse(text) == meant


@pytest.mark.parametrize("text", ["", ":80", "ftp://x", "http://", "x:y", "x:99999999"])
def test_what_is_no_endpoint(text: str) -> None:
    with pytest.raises(ValueError):
        Endpoint.parse(text)


def test_every_session_that_is_offered_has_its_connection_over_rest() -> None:
    """All 256 at once, each keeping what it opened, and a probe beside them."""
    with start(Agent, port=0, max_sessions=256) as server, ExitStack() as held:
        server.wait_loaded(30)
        clients = [held.enter_context(closing(TestClient(server.endpoint, timeout=PATIENCE))) for _ in range(257)]
        small = {"rgb": TensorSpec(shape=(4, 4, 3), dtype="uint8")}
        for client in clients[1:]:
            client.reset(synthetic_episode(small, {"stop": ActionSpec()}))
        assert {client.act({"rgb": np.zeros((4, 4, 3), np.uint8)}).action for client in clients[1:]} == {"stop"}
        assert clients[0].health().detail == "256 of 256 sessions"
