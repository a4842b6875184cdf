"""A token from a file, as container platforms hand secrets over: both ends read it, and tell when they cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from nav_eval.errors import ConfigError, ServiceUnavailable
from nav_eval.runs import builder
from nav_eval.runs.registry import benchmark_config
from nav_eval_sdk import cli, start
from nav_eval_sdk.examples.forward import ForwardAgent


def configured(endpoint: str, file: Path) -> list[str]:
    return ["agent_service.type=remote", f"agent_service.endpoint={endpoint}", f"agent_service.token_file={file}"]


def test_the_evaluator_sends_what_the_file_holds(tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_text("geheim\n")
    bad.write_text("other")
    with start(ForwardAgent, port=0, token="geheim").wait_loaded() as server:
        for file, admitted in ((good, True), (bad, False)):
            config = benchmark_config("vln-demo", overrides=configured(server.endpoint, file))
            service = builder.make_service(config, b"0" * 32)
            try:
                if admitted:
                    assert service.health_check().ready
                else:
                    with pytest.raises(ServiceUnavailable, match="token_file"):
                        service.health_check()
            finally:
                service.close()


@pytest.mark.parametrize(
    ("content", "says"), [(None, "cannot be read"), (b" \n", "is empty"), ("密".encode(), "cannot be")]
)
def test_a_file_that_holds_no_token_is_named(tmp_path: Path, content: bytes | None, says: str) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)
    config = benchmark_config("vln-demo", overrides=configured("localhost:9", file))
    with pytest.raises(ConfigError, match=says):
        builder.make_service(config, b"0" * 32)
    options = cli.parser().parse_args(["check", "localhost:9", "--token-file", str(file)])
    with pytest.raises(cli.UsageError, match=says):
        cli.given_token(options)


def test_a_token_given_outright_comes_first(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("from file")
    options = cli.parser().parse_args(["health", "--token", "outright", "--token-file", str(file)])
    assert cli.given_token(options) == "outright"
