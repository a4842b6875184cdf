"""The live view: what its server answers while a run goes on, and what a browser shows of it."""

from __future__ import annotations

import base64
import gzip
import http.client
import io
import json
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from nav_eval.cli.report import make_context
from nav_eval.core.types import Action, AgentState, EpisodeResult, StepRecord
from nav_eval.dataset.episode import Episode
from nav_eval.report.live import LiveRun, live_view
from nav_eval.report.outcome import OUTCOMES
from nav_eval.runs.evaluation import run_benchmark
from nav_eval.runs.registry import benchmark_config
from patience import PATIENCE
from report.conftest import Visit

EPISODE = Episode(scene_id="s", episode_id="7", start_position=(0.0, 0.0, 0.0), start_rotation=(0.0, 0.0, 0.0, 1.0))


def get(address: str, path: str, host: str | None = None) -> tuple[int, bytes]:
    place = urlsplit(address)
    connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=PATIENCE)
    connection.request("GET", path, headers={"Host": host} if host else {})
    answer = connection.getresponse()
    return answer.status, answer.read()


@pytest.fixture
def config(data: list[str]) -> Any:
    return benchmark_config("r2r", overrides=[*data, "agent_service.agent=random", "seed=5"])


def test_only_this_machine_is_answered(config: Any) -> None:
    with live_view(config, make_context()) as (address, page):
        assert urlsplit(address).hostname == "127.0.0.1"
        assert page is not None
        assert get(address, "/", "evil.example:80")[0] == 403
        assert get(address, "/elsewhere")[0] == 404


def document_of(body: bytes) -> Any:
    """What a page was made of."""
    found = re.search(rb'id="data">([^<]*)<', body)
    assert found is not None
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def test_data_follows_the_run_for_every_watcher(config: Any, tmp_path: Path) -> None:
    with live_view(config, make_context()) as (address, page), live_view(config, make_context()) as (other, second):
        before = document_of(get(address, "/")[1])
        evaluated = run_benchmark(config, tmp_path / "run", watchers=[page, second])
        status, body = get(address, "/?lang=zh&theme=dark")
        assert document_of(get(other, "/")[1])["runs"][0]["n"] == evaluated.results.n_episodes
    assert status == 200
    assert before["runs"][0]["n"] == 0
    run = document_of(body)["runs"][0]
    assert all(document_of(body)["episodes"]["text"])
    assert run["n"] == evaluated.results.n_episodes
    assert run["metrics"]["success"]["mean"] == pytest.approx(evaluated.results.metrics["success"]["mean"])


def test_events_tell_of_progress_and_end(config: Any, tmp_path: Path) -> None:
    heard: list[bytes] = []
    with live_view(config, make_context()) as (address, page):
        listener = threading.Thread(target=lambda: heard.append(get(address, "/events")[1]))
        listener.start()
        evaluated = run_benchmark(config, tmp_path / "run", watchers=[page])
    listener.join(30)
    events = heard[0].decode().split("\n\n")
    n = evaluated.results.n_episodes
    assert events[-2].startswith("event: done")
    whole = json.loads(gzip.decompress(base64.b64decode(events[-3].split("data: ")[1])))["runs"][0]
    assert (whole["n"], whole["n_expected"]) == (n, n)
    assert whole["finished"] is not None
    last = [event for event in events if event.startswith("event: progress")][-1]
    told = json.loads(last.split("data: ")[1])
    assert (told["n"], told["total"], told["failed"], told["left"]) == (n, n, 0, None)
    assert told["per_minute"] > 0
    assert {"scene", "id", "outcome"} == told["lost"][0].keys()
    assert told["lost"][0]["outcome"] in OUTCOMES[1:]


def test_a_session_is_shown_while_it_plays(config: Any) -> None:
    live = LiveRun(config, make_context())
    assert live.observers is not None
    (session,) = live.observers()
    session.episode_started(EPISODE, {})
    seen = {"rgb": np.full((40, 60, 3), (200, 0, 0), np.uint8)}
    for k in (1, 2):
        session.step_taken(EPISODE, StepRecord(Action("move_forward"), AgentState((0.0, 0.0, -0.25 * k))), seen)
    (shown,) = live.progress()["sessions"]
    assert (shown["scene"], shown["id"], shown["steps"]) == ("s", "7", 2)
    assert shown["points"] == [0, 0, -25, 0, 0, -25]
    assert Image.open(io.BytesIO(base64.b64decode(shown["picture"]))).getpixel((3, 3))[0] > 180  # type: ignore[index]
    session.episode_ended(EPISODE, EpisodeResult("s", "7", "ok", None, {}, 2, {}))
    assert live.progress()["sessions"] == []


@pytest.mark.parametrize("size", [(60, 240), (240, 60)])
def test_the_whole_frame_is_seen(config: Any, visit: Callable[..., Visit], size: tuple[int, int]) -> None:
    """All four edges of a frame that is red at the rim and white within."""
    frame = np.full((*size, 3), 255, np.uint8)
    frame[:8] = frame[-8:] = frame[:, :8] = frame[:, -8:] = (200, 0, 0)
    guest = visit()
    with live_view(config, make_context()) as (address, watcher):
        assert watcher.observers is not None
        (session,) = watcher.observers()
        session.episode_started(EPISODE, {})
        session.step_taken(EPISODE, StepRecord(Action("move_forward"), AgentState((0.0, 0.0, -0.25))), {"rgb": frame})
        guest.page.goto(address)
        shown = guest.page.locator(".now img")
        shown.wait_for(timeout=30_000)
        seen = np.asarray(Image.open(io.BytesIO(shown.screenshot())).convert("RGB")).astype(int)
    red: NDArray[np.bool_] = (seen[..., 0] > 150) & (seen[..., 1] < 90)
    white: NDArray[np.bool_] = np.all(seen > 230, axis=2)
    top, *_, bottom = np.nonzero(red.any(axis=1))[0]
    left, *_, right = np.nonzero(red.any(axis=0))[0]
    rim = [*red[[top, bottom], left:right], *red[top:bottom, [left, right]].T]
    assert min(side.mean() for side in rim) > 0.9
    assert white[top:bottom, left:right].mean() > 0.3


def test_page_grows_in_the_browser(config: Any, tmp_path: Path, visit: Callable[..., Visit]) -> None:
    """What the reader is at is left alone: what came meanwhile is drawn when they are done with it."""
    guest = visit()
    with live_view(config, make_context()) as (address, page):
        guest.page.goto(address)
        guest.page.wait_for_selector("#page[data-ready]")
        assert guest.page.locator("table.episodes").count() == 0
        guest.page.get_by_label("Search scene, id, instruction").focus()
        evaluated = run_benchmark(config, tmp_path / "run", watchers=[page])
        n = evaluated.results.n_episodes
        guest.page.locator(".live", has_text=f"{n} of {n}").wait_for()
    guest.page.get_by_role("heading", name="The run has ended").wait_for()
    assert guest.page.locator("table.episodes").count() == 0
    guest.page.get_by_label("Search scene, id, instruction").blur()
    guest.page.wait_for_selector("table.episodes")
    assert f"{n} episodes" in guest.page.locator("header.top").inner_text()
    assert guest.page.locator(".moments article").count() == guest.page.locator("#overview .moments article").count()
    guest.page.click("#language")
    assert guest.page.locator("#now-title").inner_text() == "运行已结束"
    assert guest.errors == []
