"""`agent_service.allowed_networks`: a service elsewhere is refused at once, by its key, and nothing is sent to it."""

from __future__ import annotations

import socket
import time

import pytest

from nav_eval.config.schema import Config
from nav_eval.errors import ConfigError, ServiceUnavailable
from nav_eval.runs import builder
from nav_eval.runs.lookup import check
from nav_eval.runs.registry import benchmark_config


def remote(*overrides: str) -> Config:
    return benchmark_config("vln-demo", overrides=["agent_service.type=remote", *overrides])


@pytest.mark.parametrize("protocol", ["rest", "grpc"])
def test_a_service_elsewhere_is_refused_at_once(protocol: str) -> None:
    with socket.create_server(("127.0.0.2", 0)) as canary:
        place = f"agent_service.endpoint=127.0.0.2:{canary.getsockname()[1]}"
        config = remote(place, f"agent_service.protocol={protocol}", "agent_service.allowed_networks=127.0.0.1/32")
        service = builder.make_service(config, b"0" * 32)
        begun = time.monotonic()
        with pytest.raises(ServiceUnavailable, match=r"127\.0\.0\.2.*agent_service\.allowed_networks"):
            service.health_check()
        assert time.monotonic() - begun < 60
        canary.setblocking(False)
        with pytest.raises(BlockingIOError):
            canary.accept()


def test_several_networks_in_one_text_or_a_list() -> None:
    for given in ("'public,10.1.0.0/16'", "[public,10.1.0.0/16]"):
        networks = remote(f"agent_service.allowed_networks={given}").agent_service.allowed_networks
        assert networks == ("public", "10.1.0.0/16")


def test_what_is_no_network_is_named_by_validate_and_by_a_run() -> None:
    config = remote("agent_service.allowed_networks=[lan]")
    for use in (lambda: check(config), lambda: builder.make_service(config, b"0" * 32)):
        with pytest.raises(ConfigError, match=r"agent_service\.allowed_networks: 'lan'.*10\.1\.0\.0/16"):
            use()
