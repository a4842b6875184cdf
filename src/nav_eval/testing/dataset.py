"""Does a data set loader keep its contract? Read twice, filtered, and read damaged: a fault is a DatasetError."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from nav_eval.dataset.dataset import DatasetRequest
from nav_eval.dataset.episode import Episode
from nav_eval.dataset.registry import Loader
from nav_eval.errors import DatasetError
from nav_eval.geometry import Vec3
from nav_eval.testing.findings import Finding, Skip, run_checks


@dataclass(frozen=True, slots=True)
class Trial:
    loader: Loader
    request: DatasetRequest

    def episodes(self) -> list[Episode]:
        return list(self.loader(self.request))

    def damaged(self, content: bytes | None) -> str:
        """What goes wrong besides a DatasetError when the file holds `content`; None: there is no file."""
        with TemporaryDirectory(prefix="nav-eval-") as folder:
            path = Path(folder) / Path(self.request.data_path).name
            if content is not None:
                path.write_bytes(content)
            try:
                list(self.loader(replace(self.request, data_path=str(path))))
            except DatasetError as error:
                return "" if path.name in str(error) else f"the message names no file: {error}"
            except Exception as error:  # noqa: BLE001 - whatever a plug-in raises is a finding
                return f"it raised {type(error).__name__}: {error}"
        return "it is read as if all were well." if content is None else ""


def check_dataset(loader: Loader, data_path: str | Path) -> Iterator[Finding]:
    """Findings, one by one. `data_path`: a file, with two scenes or more if scenes are to be told apart."""
    yield from run_checks(CHECKS, Trial(loader, DatasetRequest(data_path=str(data_path))))


def reads_the_same_twice(trial: Trial) -> str:
    if not trial.episodes():
        return "there is no episode in the file."
    one = trial.loader(trial.request)
    return "" if list(one) == list(one) == trial.episodes() else "two readings differ; iterate anew each time."


def every_episode_has_its_own_key(trial: Trial) -> str:
    keys = [episode.key for episode in trial.episodes()]
    if not all(isinstance(part, str) and part for key in keys for part in key):
        return "scene_id and episode_id must be strings that are not empty."
    twice = [key for key, count in Counter(keys).items() if count > 1]
    return f"{twice[0]} appears twice." if twice else ""


def poses_are_valid(trial: Trial) -> str:
    for episode in trial.episodes():
        if episode.start_position is None and episode.start_node is None:
            return f"{episode.key} has neither start_position nor start_node."
        points = [episode.start_position, *episode.reference_path, *(goal.position for goal in episode.goals)]
        if not all(point is None or _finite(point) for point in points):
            return f"{episode.key}: a position is not three finite numbers."
        if abs(math.hypot(*episode.start_rotation) - 1) > 1e-3:
            return f"{episode.key}: start_rotation is not of unit length."
    return ""


def _finite(point: Vec3) -> bool:
    return len(point) == 3 and all(map(math.isfinite, point))


def names_the_files_that_it_reads(trial: Trial) -> str:
    """Their SHA-256 go into the manifest."""
    files = trial.loader(trial.request).files
    if trial.request.data_path not in files:
        return f"files {list(files)} does not name {trial.request.data_path}."
    return next((f"{file} does not exist." for file in files if not Path(file).is_file()), "")


def leaves_out_other_scenes(trial: Trial) -> str:
    episodes = trial.episodes()
    scene = episodes[0].scene_id
    if all(episode.scene_id == scene for episode in episodes):
        raise Skip("the file has one scene.")
    kept = list(trial.loader(replace(trial.request, scenes=frozenset([scene]))))
    wanted = [episode for episode in episodes if episode.scene_id == scene]
    return "" if kept == wanted else f"with dataset.scenes=[{scene}] {len(kept)} come, not {len(wanted)}."


def leaves_out_other_languages(trial: Trial) -> str:
    if not any(episode.instruction for episode in trial.episodes()):
        raise Skip("there are no instructions.")
    kept = list(trial.loader(replace(trial.request, languages=frozenset(["tlh"]))))
    return f"with dataset.languages=[tlh] {len(kept)} come." if any(episode.instruction for episode in kept) else ""


def a_missing_file_is_a_dataset_error(trial: Trial) -> str:
    return trial.damaged(None)


def a_damaged_file_is_a_dataset_error(trial: Trial) -> str:
    """Cut short, emptied, and with a byte that is no text; reading it well is no fault."""
    data = Path(trial.request.data_path).read_bytes()
    cuts = [b"", data[:1], data[: len(data) // 3], data[: len(data) // 2], data[:-2], b"\xff\xfe" + data]
    return next((fault for cut in cuts if (fault := trial.damaged(cut))), "")


CHECKS = (
    reads_the_same_twice,
    every_episode_has_its_own_key,
    poses_are_valid,
    names_the_files_that_it_reads,
    leaves_out_other_scenes,
    leaves_out_other_languages,
    a_missing_file_is_a_dataset_error,
    a_damaged_file_is_a_dataset_error,
)
