"""Whatever stands in a file, a loader gives episodes or a DatasetError, and the validator a list of faults."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nav_eval.core.interfaces import SimulatorBackend, Task
from nav_eval.core.preflight import Preflight
from nav_eval.dataset.registry import load_dataset
from nav_eval.dataset.validate import validate_dataset
from nav_eval.errors import DatasetError
from nav_eval.runs import builder
from nav_eval.runs.effective import Effective, make_task
from nav_eval.runs.registry import benchmark_config

START = {"scene_id": "s.glb", "start_position": [0, 0, 0], "start_rotation": [0, 0, 0, 1], "info": {}}
VIEW = {"agent_state": {"position": [0, 0, 0], "rotation": [0, 0, 0, 1]}, "iou": 0.5}
IMAGE = {"position": [0, 0, 0], "rotation": [0, 0, 0, 1], "hfov": 79, "image_dimensions": [2, 2]}
GOAL = {"position": [0, 0, 0], "object_id": 3, "object_category": "bed", "view_points": [VIEW], "image_goals": [IMAGE]}
WALK = {"path_id": 1, "scan": "S", "path": ["a", "b"], "heading": 0.5, "instructions": ["go"]}
PANO = {"pano": "a", "heading": 0, "elevation": 0}
DIALOG = [{"nav_idx": 0, "role": "oracle", "message": "go"}]

GOOD: dict[str, Any] = {
    "r2r": [WALK],
    "fgr2r": [{**WALK, "new_instructions": "[[['go']]]", "chunk_view": [[[1, 2]]]}],
    "ndh": [
        {
            "inst_idx": 1,
            "scan": "S",
            "target": "bed",
            "dialog_history": DIALOG,
            "start_pano": PANO,
            "end_panos": ["a"],
            "planner_path": ["a"],
            "player_path": ["a"],
        }
    ],
    "rxr-ce": {
        "episodes": [
            {
                **START,
                "episode_id": 1,
                "goals": [{"position": [0, 0, 1], "radius": 3}],
                "reference_path": [[0, 0, 0]],
                "instruction": {"instruction_text": "go", "language": "en-US", "instruction_tokens": [1]},
            }
        ]
    },
    "imagenav": [{**START, "episode_id": "1", "goals": [{"position": [0, 0, 1], "radius": None}]}],
    "objectnav": {
        "goals_by_category": {"s.glb_bed": [GOAL]},
        "episodes": [{**START, "episode_id": "1", "object_category": "bed", "goals": []}],
    },
    "instance-imagenav": {
        "goals": {"s_3": GOAL},
        "episodes": [{**START, "episode_id": "1", "goal_object_id": "3", "goal_image_id": 0}],
    },
}
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of everything in `value`."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, child in children for place in places(child, (*path, key)))]


def damaged(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    if not path:
        return junk
    whole = copy.deepcopy(value)
    holder = whole
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = junk
    return whole


def world(name: str, folder: Path) -> tuple[SimulatorBackend, Task]:
    """A simulator without a scene, and the task of such a data set."""
    config = benchmark_config(name if name in ("r2r", "r4r", "ndh") else "r2r" if name == "fgr2r" else "pointnav")
    simulator = config.simulator.model_copy(
        update={"sensors": {}, "scenes_dir": str(folder), "connectivity_dir": str(folder / "graphs")}
    )
    config = config.model_copy(update={"simulator": simulator})
    task = make_task(config)
    return builder.make_backend(Effective.of(config, task)), task


@pytest.mark.parametrize("name", GOOD)
def test_junk_anywhere(tmp_path: Path, name: str) -> None:
    file = tmp_path / "a.json"
    (tmp_path / "graphs").mkdir()
    file.write_text(json.dumps(GOOD[name]))
    assert len(list(load_dataset(name, file))) == 1
    assert validate_dataset(file, type=name).faults == []
    backend, task = world(name, tmp_path)

    @settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(path=st.sampled_from(places(GOOD[name])), junk=JUNK)
    def survives(path: tuple[Any, ...], junk: Any) -> None:
        file.write_text(json.dumps(damaged(GOOD[name], path, junk)))
        preflight = Preflight(backend, task, 3.0)
        faults = validate_dataset(file, type=name, take=preflight.take).faults
        for one in preflight.unplayable():
            str(one.fault).encode()
        validate_dataset(file)
        try:
            list(load_dataset(name, file))
        except DatasetError:
            assert faults

    survives()
