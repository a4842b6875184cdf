"""What a run's settings say of a service is read, and where it cannot serve it is named before anything is sent."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from nav_eval.config.schema import Config
from nav_eval.core.interfaces import AgentService
from nav_eval.errors import ConfigError, ServiceUnavailable
from nav_eval.runs import builder
from nav_eval.runs.lookup import check
from nav_eval.runs.registry import benchmark_config
from nav_eval_sdk import cli, start
from nav_eval_sdk.examples.forward import ForwardAgent


def remote(*settings: str) -> Config:
    given = [f"agent_service.{text}" for text in ("type=remote", *settings)]
    return benchmark_config("vln-demo", overrides=given)


def made(config: Config) -> AgentService:
    return builder.make_service(config, b"0" * 32)


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_a_service_outside_the_allowed_networks_is_refused_at_once(protocol: str) -> None:
    with socket.create_server(("127.0.0.2", 0)) as canary:
        place = f"endpoint=127.0.0.2:{canary.getsockname()[1]}"
        service = made(remote(place, f"protocol={protocol}", "allowed_networks=127.0.0.1/32"))
        begun = time.monotonic()
        with pytest.raises(ServiceUnavailable, match=r"127\.0\.0\.2.*agent_service\.allowed_networks"):
            service.health_check()
        assert time.monotonic() - begun < 60
        canary.setblocking(False)
        with pytest.raises(BlockingIOError):
            canary.accept()


@pytest.mark.parametrize("given", ["'public,10.1.0.0/16'", "[public,10.1.0.0/16]"])
def test_several_networks_in_one_text_or_a_list(given: str) -> None:
    assert remote(f"allowed_networks={given}").agent_service.allowed_networks == ("public", "10.1.0.0/16")


@pytest.mark.parametrize("use", [check, made])
def test_what_is_no_network_is_named_by_validate_and_by_a_run(use: Callable[[Config], object]) -> None:
    with pytest.raises(ConfigError, match=r"agent_service\.allowed_networks: 'lan'.*10\.1\.0\.0/16"):
        use(remote("allowed_networks=[lan]"))


@pytest.mark.parametrize("name", ["ca", "cert", "key"])
@pytest.mark.parametrize(("enabled", "says"), [("true", "no such file"), ("false", "enabled")])
def test_a_file_of_tls_that_cannot_serve_is_named(tmp_path: Path, name: str, enabled: str, says: str) -> None:
    with pytest.raises(ConfigError, match=rf"agent_service\.tls\.{name}.*{says}"):
        made(remote(f"tls.enabled={enabled}", f"tls.{name}={tmp_path}/none.pem"))


@pytest.mark.parametrize(("content", "admitted"), [("geheim\n", True), ("other", False)])
def test_the_evaluator_sends_what_the_tokens_file_holds(tmp_path: Path, content: str, admitted: bool) -> None:
    (tmp_path / "token").write_text(content)
    with start(ForwardAgent, port=0, token="geheim").wait_loaded() as server:
        service = made(remote(f"endpoint={server.endpoint}", f"token_file={tmp_path}/token"))
        if admitted:
            assert service.health_check().ready
        else:
            with pytest.raises(ServiceUnavailable, match="token_file"):
                service.health_check()
        service.close()


@pytest.mark.parametrize(
    ("content", "says"), [(None, "cannot be read"), (b" \n", "is empty"), ("密".encode(), "cannot be")]
)
def test_a_file_that_holds_no_token_is_named_by_both_ends(tmp_path: Path, content: bytes | None, says: str) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=says):
        made(remote("endpoint=localhost:9", f"token_file={file}"))
    options = cli.parser().parse_args(["check", "localhost:9", "--token-file", str(file)])
    with pytest.raises(cli.UsageError, match=says):
        cli.given_token(options)


def test_a_token_given_outright_comes_first(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("from file")
    options = cli.parser().parse_args(["health", "--token", "outright", "--token-file", f"{tmp_path}/token"])
    assert cli.given_token(options) == "outright"
