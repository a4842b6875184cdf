"""Rollouts to learn from: every episode of a benchmark played once, by the oracle, a learner, or both in turns.

What is drawn in an episode depends on the seed and the episode alone, so a collection that was interrupted and went on
holds the same episodes as one that was not. A folder holds `collection.json`, what was asked, and `part-*.npz`, each
with whole episodes one after the other. Arrays named `episodes.*` have a row for each episode: `steps` (how many),
`scene_id`, `episode_id`, `metrics` (JSON), and texts, which are the same in all steps. Those named `steps.*` have a row
for each step: `action`, `expert_action` (-1: none), `reward`, and the other observations, before the action.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import gymnasium
import numpy as np

from nav_eval.core.environment import derived_seed
from nav_eval.dataset.episode import EpisodeKey
from nav_eval.errors import ConfigError
from nav_eval.gym.environment import expert_or_none
from nav_eval.gym.forms import Form
from nav_eval.gym.vector import NavVectorEnv
from nav_eval.logging import get_logger
from nav_eval.registry import Registry
from nav_eval.results.files import write_atomically, write_bytes

Policy: TypeAlias = Callable[[Mapping[str, Any], Any], Any]
"""(observations of all environments, (num_envs,) bool: whose episode begins now) -> (num_envs,) actions."""
FORMATS: Registry[Any] = Registry(
    "training data",
    elsewhere=dict.fromkeys(
        ("datasets", "lerobot", "lerobot_v3", "navid", "navila", "streamvln", "uninavid", "webdataset"),
        "nav-eval[collect]",
    ),
)
"""Those of nav-eval-extras; npz is written here."""
ASKED = "collection.json"
SECONDS_BETWEEN_LINES = 10.0


def collect(
    benchmark: str | None,
    out: str | Path,
    *,
    policy: Policy | str | None = None,
    expert: float = 1.0,
    seed: int = 0,
    num_envs: int = 8,
    overrides: Sequence[str] = (),
    config: str | None = None,
    vocabulary: Sequence[str] | None = None,
    dense_reward: bool = False,
    record: Sequence[str] | None = None,
    steps_a_file: int = 4096,
    compress: bool = False,
    format: str = "npz",  # noqa: A002 - the option's name
    **walking: Any,
) -> list[Path]:
    """Play each episode once and write it to the folder `out`; the same call again goes on where it was interrupted.

    In each step the oracle acts with probability `expert`, else `policy`; the oracle's choice is recorded either way,
    which is what DAgger learns from. `overrides`, `config`, `vocabulary`, `dense_reward`: as in make_env. `record`: the
    sensors whose observations are written, for a policy that keeps what it made of pictures; None: all. How far it is
    stands in the log (INFO). Returns the files. Raises ConfigError where `out` holds another collection, and for a
    sensor in `record` that is not there.

    `format`: any other than npz is written as by `nav-eval collect`, and the folder returned. It takes `overrides`,
    `config`, `seed`, `expert`, as `policy` an address (grpc://HOST:PORT), and in `walking` what else that command has:
    `semantic`, `questions`, `processes`, `shard` (k from 0, n).
    """
    from nav_eval.gym import make_vec_env

    if format != "npz":
        return [_walk(format, benchmark, out, overrides, config, seed, policy=policy, beta=expert, **walking)]
    if walking or isinstance(policy, str):
        raise ConfigError(
            "collect: format npz takes none of semantic, questions, processes and shard, and a function as policy."
        )
    if expert < 1 and policy is None:
        raise ConfigError("collect: give a policy for the steps that are not the oracle's, or expert=1.")
    folder = Path(out)
    asked = {"benchmark": benchmark, "config": config, "overrides": [*overrides], "seed": seed, "expert": expert}
    asked |= {"dense_reward": dense_reward, "vocabulary": None if vocabulary is None else [*vocabulary]}
    _settle(folder, asked if record is None else asked | {"record": [*record]})
    envs = make_vec_env(
        benchmark, num_envs, overrides=overrides, config=config, vocabulary=vocabulary, dense_reward=dense_reward
    )
    try:
        save = np.savez_compressed if compress else np.savez
        _fill(envs, folder, _Actor(policy, expert, seed), _recorded(envs, record), steps_a_file, save)
    finally:
        envs.close()
    return parts(folder)


def _walk(
    kind: str,
    benchmark: str | None,
    out: str | Path,
    overrides: Sequence[str],
    config: str | None,
    seed: int,
    **wish: Any,
) -> Path:
    seeded = [*overrides, f"seed={seed}"] if seed else [*overrides]
    folder: Path = FORMATS.get(kind, beside=["npz"]).collect(benchmark, out, overrides=seeded, config=config, **wish)
    return folder


def parts(folder: str | Path) -> list[Path]:
    """The files of a collection, in order."""
    return sorted(Path(folder).glob("part-*.npz"))


def rollouts(folder: str | Path) -> Iterator[dict[str, Any]]:
    """The episodes of a collection, one by one: the arrays of `collect` without their prefixes, (steps, ...)."""
    for path in parts(folder):
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files}
        ends = np.cumsum(arrays["episodes.steps"])
        for place, end in enumerate(ends):
            rows = {"episodes": place, "steps": slice(end - arrays["episodes.steps"][place], end)}
            yield {name.partition(".")[2]: array[rows[name.partition(".")[0]]] for name, array in arrays.items()}


def _settle(folder: Path, asked: Mapping[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(asked, indent=1)
    file = folder / ASKED
    if not file.exists():
        write_bytes(file, text.encode())
    elif json.loads(file.read_bytes()) != json.loads(text):
        raise ConfigError(
            f"{file}: this collection was begun with other settings. Choose another folder, or the same settings."
        )


def _recorded(envs: Any, record: Sequence[str] | None) -> list[str]:
    """The observations to be written."""
    known = [*envs.unwrapped.envs[0].forms]
    lacking = [] if record is None else [name for name in record if name not in known]
    if lacking:
        raise ConfigError(f"collect: record={lacking} is not observed. Observed are {', '.join(known)}.")
    return known if record is None else [*record]


def _fill(
    envs: Any, folder: Path, actor: _Actor, record: Sequence[str], steps_a_file: int, save: Callable[..., None]
) -> None:
    bare = envs.unwrapped
    if not isinstance(bare.single_action_space, gymnasium.spaces.Discrete):
        raise ConfigError("collect: records actions without arguments. Name only such ones in task.actions.")
    done = {key for path in parts(folder) for key in _keys(path)}
    every = list(bare.envs[0].episodes)
    held: list[_Rollout] = []
    begun, told = time.monotonic(), 0.0
    for number, rollout in enumerate(_play(envs, bare, sorted({*every} - done), actor, record), 1):
        held.append(rollout)
        if sum(len(one) for one in held) >= steps_a_file:
            _write(folder, held, save)
            held = []
        if time.monotonic() > told + SECONDS_BETWEEN_LINES:
            told = time.monotonic()
            left = (told - begun) / number * (len(every) - len(done) - number)
            get_logger(__name__).info("%d of %d episodes, %.0f s left.", len(done) + number, len(every), left)
    if held:
        _write(folder, held, save)


def _play(
    envs: Any, bare: NavVectorEnv, left: list[EpisodeKey], actor: _Actor, record: Sequence[str]
) -> Iterator[_Rollout]:
    """Every episode, in the order in which they end. Environments without one more go on, and are passed over."""
    count = bare.num_envs
    queue = iter(left)
    playing: list[_Rollout | None] = [None] * count
    begins = np.ones(count, bool)
    seen: Any = None
    while True:
        keys = [next(queue, None) if begun else None for begun in begins]
        for place, key in enumerate(keys):
            if begins[place]:
                playing[place] = None if key is None else _Rollout(key, actor.chance(key))
        if all(one is None for one in playing):
            return
        fresh = np.array([key is not None for key in keys])
        if fresh.any():
            first = seen is None
            seen, _ = envs.reset(options={"reset_mask": np.ones(count, bool) if first else fresh, "episodes": keys})
        told = [-1 if one is None else expert_or_none(env) for env, one in zip(bare.envs, playing)]
        actions = actor.actions(seen, fresh, told, playing)
        for place, one in enumerate(playing):
            if one is not None:
                forms = bare.envs[place].forms
                one.see({name: forms[name] for name in record}, {name: _row(seen[name], place) for name in record})
        seen, rewards, terminated, truncated, _ = envs.step(actions)
        begins = terminated | truncated
        for place, one in enumerate(playing):
            if one is None:
                continue
            one.said.append((int(actions[place]), told[place], float(rewards[place])))
            if begins[place]:
                one.metrics = json.dumps(bare.envs[place].information["metrics"])
                yield one
        begins |= np.array([one is None for one in playing])


class _Actor:
    """Who acts: the oracle with probability `expert`, else the policy."""

    def __init__(self, policy: Policy | None, expert: float, seed: int) -> None:
        self._policy, self._expert, self._seed = None if expert >= 1 else policy, expert, seed

    def chance(self, key: EpisodeKey) -> np.random.Generator:
        return np.random.default_rng(derived_seed(self._seed, *key, "collect"))

    def actions(self, seen: Mapping[str, Any], fresh: Any, told: Sequence[int], playing: Sequence[Any]) -> Any:
        """(num_envs,); 0 where there is neither an oracle's choice nor a policy."""
        own = np.zeros(len(told), np.int64) if self._policy is None else np.asarray(self._policy(seen, fresh))
        follows = [one is not None and one.chance.random() < self._expert for one in playing]
        idle = [one is None for one in playing]  # to stop would begin another episode, in another building
        return np.where(idle, 1, np.where(np.array(follows) & (np.array(told) >= 0), told, own))


class _Rollout:
    """One episode as it was played."""

    def __init__(self, key: EpisodeKey, chance: np.random.Generator) -> None:
        self.key, self.chance = key, chance
        self.texts: dict[str, Any] = {}
        self.seen: dict[str, list[Any]] = {}
        self.said: list[tuple[int, int, float]] = []
        self.metrics = ""

    def __len__(self) -> int:
        return len(self.said)

    def see(self, forms: Mapping[str, Form], row: Mapping[str, Any], prefix: str = "") -> None:
        for name, held in forms.items():
            if held.parts is not None:
                self.see(held.parts, row[name], f"{prefix}{name}.")
            elif held.steady:
                self.texts.setdefault(f"{prefix}{name}", np.array(row[name]))
            else:
                for path, value in _leaves(row[name], f"{prefix}{name}"):
                    self.seen.setdefault(path, []).append(np.array(value))


def _row(value: Any, place: int) -> Any:
    return {name: _row(part, place) for name, part in value.items()} if isinstance(value, dict) else value[place]


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _leaves(part, f"{path}.{name}")
    else:
        yield path, value


def _keys(path: Path) -> list[EpisodeKey]:
    with np.load(path) as file:
        return list(zip(file["episodes.scene_id"].tolist(), file["episodes.episode_id"].tolist()))


def _write(folder: Path, held: Sequence[_Rollout], save: Callable[..., None]) -> None:
    said = [np.array(column) for column in zip(*(row for one in held for row in one.said))]
    arrays = {
        "episodes.steps": np.array([len(one) for one in held]),
        "episodes.scene_id": np.array([one.key[0] for one in held]),
        "episodes.episode_id": np.array([one.key[1] for one in held]),
        "episodes.metrics": np.array([one.metrics for one in held]),
        **{f"episodes.{name}": np.stack([one.texts[name] for one in held]) for name in held[0].texts},
        **dict(zip(("steps.action", "steps.expert_action", "steps.reward"), said)),
        **{f"steps.{name}": np.stack([row for one in held for row in one.seen[name]]) for name in held[0].seen},
    }

    def write(fresh: Path) -> None:
        with fresh.open("wb") as file:
            save(file, **arrays)

    write_atomically(folder / f"part-{len(parts(folder)):05d}.npz", write)
