"""The live view: what its server answers while a run goes on, and what a browser shows of it."""

from __future__ import annotations

import base64
import gzip
import http.client
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from nav_eval.cli.report import make_workshop
from nav_eval.report.live import live_view
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config
from report.conftest import Visit


def get(address: str, path: str, host: str | None = None) -> tuple[int, bytes]:
    place = urlsplit(address)
    connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)
    connection.request("GET", path, headers={"Host": host} if host else {})
    answer = connection.getresponse()
    return answer.status, answer.read()


@pytest.fixture
def config(data: list[str]) -> Any:
    return benchmark_config("r2r", overrides=[*data, "agent_service.agent=random", "seed=5"])


def test_only_this_machine_is_answered(config: Any) -> None:
    with live_view(config, make_workshop()) as (address, page):
        assert urlsplit(address).hostname == "127.0.0.1"
        assert page is not None
        assert get(address, "/data", "evil.example:80")[0] == 403
        assert get(address, "/elsewhere")[0] == 404


def test_data_follows_the_run(config: Any, tmp_path: Path) -> None:
    with live_view(config, make_workshop()) as (address, page):
        evaluated = run_benchmark(config, tmp_path / "run", watchers=[page])
        status, body = get(address, "/data")
    assert status == 200
    run = json.loads(gzip.decompress(base64.b64decode(body)))["runs"][0]
    assert run["n"] == evaluated.results.n_episodes
    assert run["metrics"]["success"]["mean"] == pytest.approx(evaluated.results.metrics["success"]["mean"])


def test_two_watchers(config: Any, tmp_path: Path) -> None:
    with live_view(config, make_workshop()) as (one, first), live_view(config, make_workshop()) as (other, second):
        run_benchmark(config, tmp_path / "run", watchers=[first, second])
        assert get(one, "/data")[1] != b""
        counts = [
            json.loads(gzip.decompress(base64.b64decode(get(x, "/data")[1])))["runs"][0]["n"] for x in (one, other)
        ]
    assert counts[0] == counts[1] > 0


def test_events_tell_of_progress_and_end(config: Any, tmp_path: Path) -> None:
    heard: list[bytes] = []
    with live_view(config, make_workshop()) as (address, page):
        listener = threading.Thread(target=lambda: heard.append(get(address, "/events")[1]))
        listener.start()
        evaluated = run_benchmark(config, tmp_path / "run", watchers=[page])
    listener.join(30)
    events = heard[0].decode().split("\n\n")
    assert events[-2].startswith("event: done")
    last = [event for event in events if event.startswith("event: progress")][-1]
    n = evaluated.results.n_episodes
    assert json.loads(last.split("data: ")[1]) == {"n": n, "total": n, "failed": 0}


def test_page_grows_in_the_browser(config: Any, tmp_path: Path, visit: Callable[..., Visit]) -> None:
    guest = visit()
    with live_view(config, make_workshop()) as (address, page):
        guest.page.goto(address)
        guest.page.wait_for_selector("#page[data-ready]")
        assert guest.page.locator("table.episodes").count() == 0
        evaluated = run_benchmark(config, tmp_path / "run", watchers=[page])
        n = evaluated.results.n_episodes
        guest.page.locator(".live", has_text=f"{n} of {n}").wait_for(timeout=30_000)
    guest.page.wait_for_selector("table.episodes")
    assert "The run has ended" in guest.page.locator(".live").inner_text()
    assert guest.errors == []
