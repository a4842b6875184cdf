"""Videos and contact sheets, read back with PyAV and Pillow; the map's picture, measured in metres."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageFont

import nav_eval.report
from nav_eval.core.actions import Action
from nav_eval.core.orchestrator import MemoryStore
from nav_eval.core.types import AgentState, EpisodeResult, StepRecord
from nav_eval.errors import ConfigError, RunDirectoryError
from nav_eval.report.compose import Composer, Scenario, changing, depth_picture, small_jpeg
from nav_eval.report.film import Film
from nav_eval.report.fog import reveal
from nav_eval.report.fonts import covers, font_for, wrapped
from nav_eval.report.frames import read_frames, stem, write_frames
from nav_eval.report.picture import MapPainter, Walk, scale_length, window
from nav_eval.report.recording import CARD_FRAMES, VideoPolicy, video_observers
from nav_eval.report.topdown import GridMap
from nav_eval.report.words import language_of, named, said, words
from nav_eval.runs.execution import make_runner
from nav_eval.runs.plan import opened
from nav_eval.runs.registry import benchmark_config

av = pytest.importorskip("av", reason="the extra [video] writes videos")

STATIC = Path(nav_eval.report.__file__).parent / "static"
LANGUAGES = ("en", "zh")
KEYS = [("scan", str(i)) for i in range(20)]


def room(cells: int = 40, cell: float = 0.1) -> GridMap:
    floor = np.zeros((cells, cells), np.bool_)
    floor[2:-2, 2:-2] = True
    return GridMap(0.0, (-2.0, -2.0), cell, floor, np.zeros_like(floor))


def record(data: list[str], folder: Path, agent: str, video: str) -> tuple[MemoryStore, Path]:
    config = benchmark_config("r2r", overrides=[*data, f"agent_service.agent={agent}", f"output.video={video}"])
    store = MemoryStore()
    with opened(config) as plan:
        observers = video_observers(config, plan.backend, plan.task, folder, plan.episodes.keys)
        make_runner(plan, observers).run_evaluation(plan.service(b"0" * 32), store)
    return store, folder / "videos"


def test_all_episodes_have_a_video_of_every_step(data: list[str], tmp_path: Path) -> None:
    store, videos = record(data, tmp_path, "shortest_path", "all")
    for key, result in store.results.items():
        with av.open(str(videos / f"{stem(key)}.mp4")) as film:
            frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
        assert len(frames) == 1 + result.steps + CARD_FRAMES
        assert frames[0].shape[1] % 2 == 0
        assert frames[0].std() > 5
        assert not (videos / f"{stem(key)}.frames.zip").exists(), "a graph has no camera to show beside the plan"
        assert Image.open(videos / f"{stem(key)}.png").size[0] > 200
    assert not list(videos.glob("*.part.mp4"))


def test_only_failures_are_kept(data: list[str], tmp_path: Path) -> None:
    _, videos = record(data, tmp_path / "a", "shortest_path", "failures")
    assert list(videos.iterdir()) == []
    store, videos = record(data, tmp_path / "b", "stop", "failures")
    assert len(list(videos.glob("*.mp4"))) == len(store.results)


def test_a_sample_is_drawn_once(data: list[str], tmp_path: Path) -> None:
    _, videos = record(data, tmp_path, "stop", "'sample(2)'")
    assert len(list(videos.glob("*.mp4"))) == 2
    policy, again = VideoPolicy.of("sample(5)", KEYS), VideoPolicy.of("sample(5)", KEYS[::-1])
    assert policy is not None
    assert policy == again
    assert sum(policy.records(key) for key in KEYS) == 5


def test_a_full_disk_costs_the_video_and_not_the_episode(
    data: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("nav_eval.report.film.Film.add", full)
    store, videos = record(data, tmp_path, "shortest_path", "all")
    assert all(result.status == "ok" and result.metrics["success"] == 1 for result in store.results.values())
    assert list(videos.iterdir()) == []


def test_odd_observations_are_left_out() -> None:
    assert composed("x", rgb=np.zeros((4, 4, 3)), depth={"a": 1}).shape == composed("x").shape
    assert composed("x", rgb=None, depth=np.zeros((4, 8, 2), np.float32)).shape == (456, 720 + 360, 3)


def test_settings() -> None:
    assert VideoPolicy.of("none", KEYS) is None
    with pytest.raises(ConfigError, match=r"output\.video"):
        VideoPolicy.of("some", KEYS)
    failures = VideoPolicy.of("failures", KEYS)
    assert failures is not None
    lost = EpisodeResult("s", "e", "agent_timeout", "late", {"success": 1.0}, 3, {})
    won = EpisodeResult("s", "e", "ok", None, {"success": 1.0}, 3, {})
    assert failures.keeps(lost)
    assert not failures.keeps(won)


def test_file_names_are_safe_and_apart() -> None:
    names = {stem(key) for key in [("../../etc", "passwd"), ("a", "b-c"), ("a-b", "c"), ("厨房", "1"), ("\ud800", "")]}
    assert len(names) == 5
    assert all(name.isascii() and "/" not in name and not name.startswith(".") for name in names)


def composed(text: str, language: str = "en", **observations: Any) -> np.ndarray:
    composer = Composer()
    composer.begin(Scenario(text, (room(),), (0.0, 0.0, 0.0), 0.0, goals=[(1.0, 0.0, 1.0)], language=language))
    step = StepRecord(Action("move_forward"), AgentState((0.0, 0.0, -1.0)))
    return composer.frame(step, observations)


def test_a_frame_shows_rgb_depth_map_and_text() -> None:
    rgb = np.zeros((60, 80, 3), np.uint8)
    rgb[:, :, 1] = 200
    frame = composed("Walk.", rgb=rgb, depth=np.full((60, 80, 1), 2.0, np.float32))
    assert frame.shape == (360 + 96, 480 + 480 + 360, 3)
    assert (frame[:360, :480] == (0, 200, 0)).all()
    assert composed("Walk.").shape == (360 + 96, 360, 3)
    assert (frame[360:] != composed("Stop.", rgb=rgb, depth=np.full((60, 80, 1), 2.0, np.float32))[360:]).any()


def test_a_sheet_shows_what_changes() -> None:
    still = small_jpeg(np.full((40, 60, 3), 90, np.uint8))
    moving = [small_jpeg(np.full((40, 60, 3), 20 * k, np.uint8)) for k in range(1, 4)]
    assert changing([still]).tolist() == [0]
    assert changing([still] * 9 + moving + [moving[-1]] * 5).tolist() == [0, 9, 10, 16]


def test_depth_is_brighter_when_nearer() -> None:
    picture = depth_picture(np.array([[[0.0], [1.0], [5.0], [np.inf]]], np.float32))
    assert picture[0, 1, 0] > picture[0, 2, 0] > picture[0, 0, 0] == 0
    assert depth_picture(np.zeros((2, 2))).max() == 0


def test_chinese_is_shown_or_its_absence_said(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    font, shown = font_for("走到厨房 Kitchen", 17)
    if shown:
        assert covers(font, "走到厨房")
        assert (composed("走到厨房")[360:420] != composed("停在门前")[360:420]).any()
    monkeypatch.setattr("nav_eval.report.fonts.font_files", tuple)
    monkeypatch.setattr("nav_eval.logging.get_logger", lambda name: __import__("logging").getLogger(name))
    font, shown = font_for("走到厨房", 17)
    assert not shown
    assert font_for("plain", 17)[1]
    assert language_of("zh-CN") == "en"


def test_a_video_says_what_the_page_says_in_the_language_of_its_instruction() -> None:
    if language_of("zh") == "en":
        pytest.skip("no font here shows Chinese")
    assert [said(one, "episode.walked", steps=3, metres="1.50 m") for one in ("zh", "en")] == [
        "共 3 步，走了 1.50 m。",
        "It walked 1.50 m in 3 steps.",
    ]
    assert (named("zh", "room", "living room"), named("zh", "room", "vault")) == ("客厅", "vault")
    plain, chinese = (composed("x", language=language) for language in ("en", "zh"))
    assert (plain[:360] == chinese[:360]).all(), "this plan has no words"
    assert (plain[430:] != chinese[430:]).any()


def test_every_entry_of_the_page_is_read_whatever_its_line() -> None:
    keys = [re.findall(r'^  "([^"]+)":', (STATIC / f"words.{one}.js").read_text(), re.MULTILINE) for one in LANGUAGES]
    assert [list(words(one)) for one in LANGUAGES] == keys


def test_lines_are_broken_within_the_width() -> None:
    font = ImageFont.load_default(17)
    lines = wrapped("a word " * 40, font, 200, 3)
    assert len(lines) == 3
    assert all(font.getlength(line) <= 215 for line in lines)
    assert lines[-1].endswith("…")
    assert wrapped("", font, 200, 3) == [""]


def test_scale_bar_is_as_long_as_it_says() -> None:
    """The bar's pixels against the walk's: two points that are 2 m apart."""
    walk = Walk([(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)], [0.0, 0.0])
    view = window((room(),), walk, 360)
    pixels = np.asarray(MapPainter((room(),), 360).paint(walk))
    row = pixels[350]
    bar = np.flatnonzero((row == (26, 28, 32)).all(axis=1))
    a, b = view.pixel(-1.0, 0.0)[0], view.pixel(1.0, 0.0)[0]
    assert (bar[-1] - bar[0]) / scale_length(view) == pytest.approx((b - a) / 2, rel=0.02)


def test_fog_ends_at_walls() -> None:
    storey = room()
    storey.floor[20, :] = False
    seen = np.zeros_like(storey.floor)
    reveal(storey, seen, 0.0, 1.0, 0.0, 90.0)
    assert seen[25, 20]
    assert not seen[:19].any()
    assert not seen[38:].any()
    reveal(storey, seen, 50.0, 50.0, 0.0, 90.0)


def test_frames_come_back_in_order_and_thinned(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    shots = [bytes([i]) for i in range(12)]
    write_frames(path, shots, shots[::-1])
    read = read_frames(path, 5)
    assert read.pop("first") == 0
    assert {name: [base64.b64decode(one) for one in some] for name, some in read.items()} == {
        "rgb": [b"\0", b"\5", b"\n"],
        "depth": [b"\x0b", b"\6", b"\1"],
    }


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    film = Film(tmp_path / "nowhere" / "x.mp4", 6)
    film.add(np.zeros((8, 8, 3), np.uint8))
    # FFmpeg opens the file with the first packet that the encoder lets go.
    with pytest.raises(RunDirectoryError, match=r"x\.mp4: cannot be written"):
        film.close()
