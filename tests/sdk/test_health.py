"""`nav-eval-agent health`, which container health checks call: exit code 0 only for a service that is ready."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from nav_eval_sdk import VLNAgent, cli, start
from patience import PATIENCE


class Slow(VLNAgent):
    """Loads until it is let go."""

    loaded = threading.Event()

    def __init__(self) -> None:
        assert self.loaded.wait(PATIENCE)

    def reset(self, episode: object) -> None: ...

    def act(self, observation: object) -> str:
        return "stop"


def health(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(["health", *arguments])
    return int(ended.value.code or 0)


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_ready_loading_refused_and_gone(
    protocol: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NAV_EVAL_AGENT_TOKEN", raising=False)
    token = tmp_path / "token"
    token.write_text("t\n")
    told = ("--token-file", str(token))
    Slow.loaded.clear()
    with start(Slow, protocol=protocol, port=0, token="t") as server:
        assert health(server.endpoint, *told) == 1
        Slow.loaded.set()
        server.wait_loaded()
        assert health(server.endpoint, *told) == 0
        assert health(server.endpoint, *told, "--protocol", protocol) == 0
        assert health(server.endpoint, *told, "--protocol", "grpc" if protocol == "rest" else "rest") == 1
        assert health(server.endpoint) == 1
    assert health(server.endpoint, *told) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[:3] == ["loading", "ready", "ready"]
    assert "unauthorized" in said[4]
    assert "refused" in said[5]


def test_an_endpoint_that_is_none_is_told() -> None:
    assert health("ftp://x") == 2
