"""The report of a run that goes on: the same page on 127.0.0.1, told of news by server-sent events.

Results are taken from the store as they arrive and kept in memory, so that the run directory is left alone. A request
that does not name this machine is refused (a foreign page could otherwise reach the server by DNS rebinding).
"""

from __future__ import annotations

import base64
import math
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec

from nav_eval.config.schema import Config
from nav_eval.core.interfaces import Observer
from nav_eval.core.orchestrator import ResultStore, Watcher
from nav_eval.core.types import AgentState, EpisodeResult, Observations, StepRecord
from nav_eval.dataset.episode import Episode, EpisodeKey
from nav_eval.geometry import yaw_of
from nav_eval.report.compose import picture_of, small_jpeg
from nav_eval.report.context import ReportContext
from nav_eval.report.document import assemble
from nav_eval.report.outcome import Thresholds, outcome
from nav_eval.report.page import packed, render_page
from nav_eval.report.rebinding import is_ours
from nav_eval.report.scenery import EpisodeFacts, Scenery, look_up
from nav_eval.report.sentence import run_sentence
from nav_eval.report.source import Run, summarise_run
from nav_eval.report.track import Track, centimetres, deltas, track_of

HOST = "127.0.0.1"
PROGRESS_SECONDS = 0.5
CHANGED_SECONDS = 5.0
ALIVE_SECONDS = 15.0
READER_SECONDS = 10.0
"""A reader that takes nothing for so long is left."""
STEP_SECONDS = 1.0
"""Between two looks at what the sessions do."""
RECENT = 5
SHARE = 10
"""At most one part in so many of the time goes into making documents."""


class LiveRun(Watcher):
    """What is known of the run so far. Thread-safe."""

    def __init__(self, config: Config, context: ReportContext) -> None:
        self._config = config
        self._context = context
        self._results: dict[EpisodeKey, EpisodeResult] = {}
        self._tracks: dict[EpisodeKey, Track] = {}
        self._keys: Sequence[EpisodeKey] = ()
        self._scenery: Scenery | None = None
        self._document: tuple[int, dict[str, Any]] | None = None
        self._making = threading.Lock()
        self._sessions: list[LiveSession] = []
        self._lost: list[dict[str, str]] = []
        self._before = 0
        self._began = time.monotonic()
        self.observers = self._session_observers
        self._started = _now()
        self.news = threading.Condition()
        self.version = 0
        self.done = False
        self.build_seconds = 0.0

    def begin(self, keys: Sequence[EpisodeKey], store: ResultStore) -> None:
        with self.news:
            self._keys = keys
            self._began = time.monotonic()
            self._results |= {(result.scene_id, result.episode_id): result for result in store.in_order(keys)}
            self._before = len(self._results)
            self._changed()

    def _session_observers(self) -> Sequence[Observer]:
        """One that follows a session, for as long as the run lasts."""
        with self.news:
            self._sessions.append(LiveSession(self))
            return (self._sessions[-1],)

    def take(self, result: EpisodeResult) -> None:
        key = (result.scene_id, result.episode_id)
        track = track_of(result)
        ended = outcome(result, track, Thresholds(self._config.evaluation.success_distance, self.facts(key).shortest))
        with self.news:
            self._results[key] = result
            if ended not in ("success", "not_scored"):
                self._lost = [{"scene": key[0], "id": key[1], "outcome": ended}, *self._lost][:RECENT]
            if track is not None:
                self._tracks[key] = track
            self._changed()

    def end(self) -> None:
        with self.news:
            self.done = True
            self._changed()

    def _changed(self) -> None:
        self.version += 1
        self.news.notify_all()

    def wait(self, seen: int) -> tuple[int, bool]:
        """Until there is a version other than `seen`, or a while: the version, and whether the run is done."""
        with self.news:
            self.news.wait_for(lambda: self.version != seen, STEP_SECONDS if self._sessions else ALIVE_SECONDS)
            return self.version, self.done

    def progress(self) -> dict[str, Any]:
        """For the lines at the top: counts, speed and time left (s), the last failures, and what each session does."""
        with self.news:
            n, total = len(self._results), len(self._keys)
            played, passed = n - self._before, time.monotonic() - self._began
            return {
                "n": n,
                "total": total,
                "failed": sum(result.status != "ok" for result in self._results.values()),
                "per_minute": 60 * played / passed if played else None,
                "left": passed / played * (total - n) if played and not self.done else None,
                "lost": self._lost,
                "sessions": [shown for session in self._sessions if (shown := session.describe_episode())],
            }

    def facts(self, key: EpisodeKey) -> EpisodeFacts:
        """What was asked in an episode, as far as the scenery is known."""
        return EpisodeFacts() if self._scenery is None else self._scenery.episodes.get(key, EpisodeFacts())

    @property
    def document_version(self) -> int:
        """The version of the last document, 0 before the first: what a page that was opened just now shows."""
        return 0 if self._document is None else self._document[0]

    def document(self) -> dict[str, Any]:
        """The report's document of what is there now; made anew only if there is news."""
        with self._making:
            if self._document is None or self._document[0] != self.version:
                began = time.perf_counter()
                self._document = (self.version, self._make())
                self.build_seconds = time.perf_counter() - began
            return self._document[1]

    def _make(self) -> dict[str, Any]:
        run = self._snapshot()
        scenery = self._scenery or look_up(run, self._context, list(self._keys))
        if self._keys:  # Else it is asked before the run has begun.
            self._scenery = scenery
        document = assemble([run], scenery, None, live=True)
        document["runs"][0]["sentence"] = run_sentence(run, self._context)
        return document

    def _snapshot(self) -> Run:
        with self.news:
            results, tracks, done = dict(self._results), dict(self._tracks), self.done
        config = self._config
        manifest = {
            "profile": {"name": config.benchmark.profile, "version": config.benchmark.version},
            "seed": config.seed,
            "n_episodes": len(self._keys),
            "started": self._started,
            "finished": _now() if done else None,
        }
        summary = summarise_run(config, manifest, results)
        return Run(Path("live"), config, manifest, summary, results, tracks)


class LiveSession:
    """The Observer of one session: where its agent is, what it sees. A picture is kept every STEP_SECONDS at most."""

    def __init__(self, live: LiveRun) -> None:
        self._live = live
        self._lock = threading.Lock()
        self._episode: Episode | None = None
        self._poses: list[AgentState] = []
        self._picture, self._taken = "", 0.0

    def episode_started(self, episode: Episode, observations: Observations) -> None:
        with self._lock:
            self._episode, self._poses, self._picture = episode, [], ""

    def step_taken(self, episode: Episode, step: StepRecord, observations: Observations) -> None:
        with self._lock:
            self._poses.append(step.state)
        seen = picture_of(observations.get("rgb"))
        if seen is not None and time.monotonic() - self._taken > STEP_SECONDS:
            self._taken = time.monotonic()
            self._picture = base64.b64encode(small_jpeg(seen)).decode()

    def episode_ended(self, episode: Episode, result: EpisodeResult) -> None:
        with self._lock:
            self._episode = None

    def describe_episode(self) -> dict[str, Any] | None:
        """Of the episode being played; None between two."""
        with self._lock:
            episode, poses = self._episode, tuple(self._poses)
        if episode is None:
            return None
        facts = self._live.facts(episode.key)
        return {
            "scene": episode.scene_id,
            "id": episode.episode_id,
            "text": facts.text or facts.category or "",
            "steps": len(poses),
            "points": deltas(centimetres([pose.position for pose in poses])).tolist(),
            "yaws": [round(math.degrees(yaw_of(pose.rotation))) for pose in poses],
            "reference": deltas(facts.reference).tolist(),
            "goals": deltas(facts.goals).tolist(),
            "picture": self._picture,
        }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, live: LiveRun) -> None:
        self.live = live
        self.streams: list[threading.Thread] = []
        super().__init__((HOST, port), _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = READER_SECONDS

    def do_GET(self) -> None:
        try:
            self._get()
        except (ConnectionError, TimeoutError):  # The reader has gone.
            self.close_connection = True

    def _get(self) -> None:
        if not is_ours(self.headers.get("Host", "")):
            self.send_error(403)
            return
        match self.path.partition("?")[0]:
            case "/":
                self._page(render_page(self.server.live.document()))
            case "/events":
                self.server.streams.append(threading.current_thread())
                self._head("text/event-stream")
                self.end_headers()
                for name, data in _events(self.server.live):
                    self.wfile.write(f"event: {name}\ndata: {data}\n\n".encode())
                    self.wfile.flush()
            case _:
                self.send_error(404)

    def _page(self, text: str) -> None:
        body = text.encode()
        self._head("text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _head(self, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Requests of the reader's own browser are no news."""


def _events(live: LiveRun) -> Iterator[tuple[str, str]]:
    seen, drawn, told = 0, live.document_version, -math.inf
    while True:
        seen, done = live.wait(seen)
        yield "progress", msgspec.json.encode(live.progress()).decode()
        if done or (seen != drawn and time.monotonic() - told > max(CHANGED_SECONDS, SHARE * live.build_seconds)):
            told, drawn = time.monotonic(), seen
            yield "changed", packed(live.document())
        if done:
            yield "done", "{}"
            return
        time.sleep(PROGRESS_SECONDS)


@contextmanager
def live_view(config: Config, context: ReportContext, port: int = 0) -> Iterator[tuple[str, Watcher]]:
    """Serve until the block ends: the page's address, and the watcher that feeds it."""
    live = LiveRun(config, context)
    server = _Server(port, live)
    thread = threading.Thread(target=server.serve_forever, name="live-view", daemon=True)
    thread.start()

    try:
        yield f"http://{HOST}:{server.server_port}/", live
    finally:
        live.end()
        server.shutdown()
        # Open pages are told of the end and are sent the last state.
        for stream in server.streams:
            stream.join(READER_SECONDS)
        server.server_close()
