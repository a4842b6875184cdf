"""Videos and contact sheets of a run, as an Observer per session: `output.video: none|failures|all|sample(n)`.

A frame shows what the agent saw (rgb, depth), the map with its way, the instruction and the step. It is encoded while
the episode runs; of an episode that is not wanted in the end (a success under `failures`) the files are dropped.
Beside each MP4 lie a contact sheet (PNG) and the small frames that the report's slider shows (a zip of JPEG).
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nav_eval.config.schema import Config
from nav_eval.core.interfaces import Observer, Simulator, SimulatorBackend, Task
from nav_eval.core.types import EpisodeResult, Observations, StepRecord
from nav_eval.dataset.episode import Episode, EpisodeKey
from nav_eval.errors import ConfigError, NavEvalError
from nav_eval.geometry import Vec3, yaw_of
from nav_eval.logging import get_logger
from nav_eval.report.compose import Composer, Pixels, Scenario, contact_sheet, small_jpeg
from nav_eval.report.film import Film, require_av
from nav_eval.report.frames import VIDEOS, stem, write_frames
from nav_eval.report.outcome import final_distance, won
from nav_eval.report.scenery import episode_facts
from nav_eval.report.topdown import Map, scene_maps
from nav_eval.report.words import named, said

FPS = 10
CARD_FRAMES = 15
"""How long the outcome stands at the end."""


@dataclass(frozen=True, slots=True)
class VideoPolicy:
    """Which episodes are recorded (`chosen`; None: all) and whether successes are kept."""

    chosen: frozenset[EpisodeKey] | None
    keep_successes: bool

    @classmethod
    def of(cls, setting: str, keys: Collection[EpisodeKey]) -> VideoPolicy | None:
        """None for "none". A sample is the same for the same episodes: those whose digests come first."""
        if setting == "none":
            return None
        if setting in ("all", "failures"):
            return cls(None, setting == "all")
        match = re.fullmatch(r"sample\((\d+)\)", setting)
        if match is None:
            raise ConfigError(f"output.video: is {setting!r}. Write none, failures, all, or sample(n).")
        drawn = sorted(keys, key=lambda key: hashlib.sha256("\n".join(key).encode()).digest())
        return cls(frozenset(drawn[: int(match[1])]), True)

    def records(self, key: EpisodeKey) -> bool:
        return self.chosen is None or key in self.chosen

    def keeps(self, result: EpisodeResult) -> bool:
        return self.keep_successes or result.status != "ok" or not won(result)


class Atlas:
    """Maps by scene, drawn once for all sessions, in a simulator session of its own."""

    def __init__(self, backend: SimulatorBackend) -> None:
        self._backend = backend
        self._session: Simulator | None = None
        self._maps: dict[str, tuple[Map, ...]] = {}
        self._lock = threading.Lock()

    def scenario(self, episode: Episode, task: Task) -> Scenario:
        with self._lock:
            if self._session is None:
                self._session = self._backend.open_session()
            self._session.start(episode)
            if episode.scene_id not in self._maps:
                self._maps[episode.scene_id] = tuple(scene_maps(self._session, ()))
            facts = episode_facts(episode, task, self._session)
            state = self._session.get_agent_state()
        return Scenario(
            text=facts.text or facts.category or "",
            maps=self._maps[episode.scene_id],
            start=state.position,
            start_yaw=yaw_of(state.rotation),
            reference=_metres(facts.reference),
            goals=_metres(facts.goals),
            language=episode.instruction.language if episode.instruction else "en",
        )

    def close(self) -> None:
        if self._session is not None:
            self._session.close()


def _metres(points: Any) -> list[Vec3]:
    return [(float(x), float(y), float(z)) for x, y, z in np.asarray(points, np.float64) / 100]


class VideoRecorder:
    """The Observer of one session."""

    def __init__(self, folder: Path, policy: VideoPolicy, atlas: Atlas, task: Task, composer: Composer):
        self._folder = folder
        self._policy = policy
        self._atlas = atlas
        self._task = task
        self._painter = composer
        self._path: Path | None = None
        self._film: Film | None = None
        self._shots: list[bytes] = []
        self._depths: list[bytes] = []
        self._last: Pixels | None = None

    def episode_started(self, episode: Episode, observations: Observations) -> None:
        self._drop()
        if self._policy.records(episode.key):
            with self._guard(episode):
                self._begin(episode)
                self._shoot(self._painter.start(observations))

    def _begin(self, episode: Episode) -> None:
        self._painter.begin(self._atlas.scenario(episode, self._task))
        self._path = self._folder / f"{stem(episode.key)}.part.mp4"
        self._film = Film(self._path, FPS)

    def step_taken(self, episode: Episode, step: StepRecord, observations: Observations) -> None:
        if self._film is None:
            return
        with self._guard(episode):
            self._shoot(self._painter.frame(step, observations))

    def _shoot(self, frame: Pixels) -> None:
        """Add what the painter made of the present moment to film, sheet and small frames."""
        assert self._film is not None
        self._film.add(frame)
        self._last = frame
        self._shots.append(small_jpeg(self._painter.seen if self._painter.seen is not None else frame))
        if self._painter.deep is not None:
            self._depths.append(small_jpeg(self._painter.deep))

    def episode_ended(self, episode: Episode, result: EpisodeResult) -> None:
        if self._film is None or self._path is None:
            return
        with self._guard(episode):
            if self._last is not None:
                card = self._painter.card(self._last, *_outcome_card(result, self._painter.language))
                for _ in range(CARD_FRAMES):
                    self._film.add(card)
            self._film.close()
            if self._shots and self._policy.keeps(result):
                self._keep(self._path, stem(episode.key), _caption(result))
        self._drop()

    def _keep(self, path: Path, name: str, caption: str) -> None:
        if self._painter.seen is not None:
            write_frames(self._folder / f"{name}.frames.zip", self._shots, self._depths)
        contact_sheet(self._shots, caption).save(self._folder / f"{name}.png")
        path.replace(self._folder / f"{name}.mp4")

    @contextmanager
    def _guard(self, episode: Episode) -> Iterator[None]:
        """What goes wrong with a video costs the video and never the episode's result."""
        try:
            yield
        except (OSError, ValueError, NavEvalError) as error:
            get_logger(__name__).warning("no video of episode %s of %s: %s", *reversed(episode.key), error)
            self._drop()

    def _drop(self) -> None:
        if self._film is not None:
            self._film.abandon()
            self._film = None
        if self._path is not None:
            self._path.unlink(missing_ok=True)
            self._path = None
        self._shots, self._depths, self._last = [], [], None


def _outcome_card(result: EpisodeResult, language: str) -> tuple[str, list[str], bool]:
    """Title, lines and whether it was a success, in the page's words."""
    missed = said(language, "moments.success" if won(result) else "moments.missed")
    title = missed if result.status == "ok" else named(language, "status", result.status)
    far = final_distance(result)
    walked = result.metrics.get("path_length")
    lines = [said(language, "moments.left", metres=f"{far:.2f} m")] if far is not None else []
    if isinstance(walked, int | float):
        lines.append(said(language, "episode.walked", steps=result.steps, metres=f"{walked:.2f} m"))
    return title, lines, won(result)


def _caption(result: EpisodeResult) -> str:
    error = final_distance(result)
    far = "" if error is None else f", {error:.2f} m from the goal"
    ended = "success" if won(result) else "no success"
    return f"{result.scene_id} {result.episode_id}: {result.status}, {ended}{far}, {result.steps} steps"


def video_observers(
    config: Config, backend: SimulatorBackend, task: Task, directory: Path, keys: Collection[EpisodeKey]
) -> Callable[[], Sequence[Observer]]:
    """What makes a session's observers, `tuple` without videos. Raises ConfigError where PyAV is missing."""
    policy = VideoPolicy.of(config.output.video, keys)
    if policy is None:
        return tuple
    require_av()
    folder = directory / VIDEOS
    folder.mkdir(parents=True, exist_ok=True)
    atlas = Atlas(backend)
    hfov = next((sensor.hfov for sensor in config.simulator.sensors.values() if sensor.hfov), 90.0)
    return lambda: (VideoRecorder(folder, policy, atlas, task, Composer(hfov=hfov)),)
