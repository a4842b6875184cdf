"""A Rerun recording of a run: every episode's paths on a timeline of steps, with the scene's shape (extra [rerun])."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nav_eval.dataset.episode import EpisodeKey
from nav_eval.errors import ConfigError
from nav_eval.report.context import ReportContext
from nav_eval.report.frames import stem
from nav_eval.report.mesh import coarse_mesh
from nav_eval.report.picture import time_colour
from nav_eval.report.scenery import EpisodeFacts, Scene, Scenery, look_up
from nav_eval.report.source import Run
from nav_eval.report.track import Track
from nav_eval.results.files import write_atomically


def write_recording(runs: Sequence[Run], context: ReportContext, out: Path) -> None:
    """One file with all runs; entity paths are run/episode/..., lengths metres, y up."""
    rerun = _rerun(out)
    scenery = look_up(
        runs[0], context, list(dict.fromkeys(key for run in runs for key in run.results)), shape=coarse_mesh
    )
    write_atomically(out, lambda fresh: _write(rerun, runs, scenery, fresh))


def _rerun(out: Path) -> Any:
    try:
        import rerun
    except ImportError:
        raise ConfigError(f"{out}: needs the package rerun-sdk. Install it: pip install 'nav-eval[rerun]'") from None
    return rerun


def _write(rerun: Any, runs: Sequence[Run], scenery: Scenery, path: Path) -> None:
    recording = rerun.RecordingStream("nav-eval")
    recording.save(str(path))
    recording.log("/", rerun.ViewCoordinates.RIGHT_HAND_Y_UP, static=True)
    for run in runs:
        for key, track in run.tracks.items():
            place = f"{run.path.name}/{stem(key)}"
            _log_scene(rerun, recording, place, scenery.scenes.get(key[0], Scene()))
            _log_task(rerun, recording, place, key, scenery.episodes.get(key, EpisodeFacts()))
            _log_track(rerun, recording, place, track)
    recording.flush()
    recording.disconnect()


def _log_scene(rerun: Any, recording: Any, place: str, scene: Scene) -> None:
    if scene.mesh is None:
        return
    mesh = scene.mesh
    places = mesh.vertices.astype(np.float32)
    shape = rerun.Mesh3D(vertex_positions=places, triangle_indices=mesh.triangles, vertex_colors=mesh.colours)
    recording.log(f"{place}/scene", shape, static=True)


def _log_task(rerun: Any, recording: Any, place: str, key: EpisodeKey, facts: EpisodeFacts) -> None:
    text = f"{key[0]} {key[1]}\n\n{facts.text or facts.category or ''}"
    recording.log(f"{place}/task", rerun.TextDocument(text), static=True)
    if len(facts.reference) > 1:
        line = rerun.LineStrips3D([facts.reference / 100], colors=[15, 138, 75])
        recording.log(f"{place}/reference", line, static=True)
    if len(facts.goals):
        recording.log(f"{place}/goals", rerun.Points3D(facts.goals / 100, colors=[242, 194, 0], radii=0.1), static=True)


def _log_track(rerun: Any, recording: Any, place: str, track: Track) -> None:
    points = track.positions / 100
    for step, point in enumerate(points):
        recording.set_time("step", sequence=step)
        recording.log(f"{place}/agent", rerun.Points3D([point], colors=[229, 33, 74], radii=0.15))
        if step:
            colour = time_colour(step / max(1, len(points) - 1))
            line = rerun.LineStrips3D([points[max(0, step - 1) : step + 1]], colors=[colour])
            recording.log(f"{place}/way/{step:04d}", line)
