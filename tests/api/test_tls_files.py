"""TLS files that are missing, or given while TLS is off, are named before anything is sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from nav_eval.errors import ConfigError
from nav_eval.runs import builder
from nav_eval.runs.registry import benchmark_config


@pytest.mark.parametrize("name", ["ca", "cert", "key"])
@pytest.mark.parametrize(("enabled", "says"), [("true", "no such file"), ("false", "enabled")])
def test_a_file_that_cannot_serve_is_named(tmp_path: Path, name: str, enabled: str, says: str) -> None:
    remote = ["agent_service.type=remote", f"agent_service.tls.enabled={enabled}"]
    config = benchmark_config("vln-demo", overrides=[*remote, f"agent_service.tls.{name}={tmp_path}/none.pem"])
    with pytest.raises(ConfigError, match=rf"agent_service\.tls\.{name}.*{says}"):
        builder.make_service(config, b"0" * 32)
