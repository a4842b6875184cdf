from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from contextlib import ExitStack, closing
from functools import partial
from itertools import groupby

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import iterate

import nav_eval
import nav_eval.gym
from graphs import item, node, write_r2r
from nav_eval import ActionSpec, Argument
from nav_eval.core.actions import ActionSpace
from nav_eval.core.specs import ListSpec, NumberSpec, StructSpec, TensorSpec, TextSpec
from nav_eval.errors import ConfigError, SimulatorError
from nav_eval.gym import text
from nav_eval.gym.forms import LIST_ITEMS, Actions, form
from rooms import write_room


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    paths = [[node(0, y), node(1, y), node(2, y), node(3, y)] for y in range(3)]
    items = [item(number, path, ["Walk to the end. 走到尽头。"]) for number, path in enumerate(paths)]
    return write_r2r(tmp_path_factory.mktemp("graph"), items=items)


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    return write_room(tmp_path_factory.mktemp("room"), scenes=2)


@pytest.fixture
def made():
    """Makes one environment, or a vector of so many, and closes all after the test."""
    with ExitStack() as stack:

        def make(name, overrides, count=0, **features):
            vector = partial(nav_eval.make_vec_env, name, count) if count else partial(nav_eval.make_env, name)
            return stack.enter_context(closing(vector(overrides=overrides, **features)))

        yield make


SPECS = StructSpec(
    parts={
        "depth": TensorSpec(shape=(3, 4, 1), dtype="float32", low=0.0, high=10.0),
        "labels": TensorSpec(shape=(3, 4, 1), dtype="int32"),
        "goal": TensorSpec(shape=(2,), dtype="float32", optional=True),
        "told": TextSpec(),
        "words": ListSpec(item=TextSpec()),
        "near": ListSpec(item=StructSpec(parts={"id": TextSpec(is_node=True), "far": NumberSpec(low=1.0, unit="m")})),
    }
)


@pytest.mark.parametrize("seed", range(5))
def test_what_fits_a_spec_fits_its_space(seed):
    held = form(SPECS)
    value = SPECS.sample(np.random.default_rng(seed))
    assert held.space.contains(held.pack(value))
    assert held.space.contains(held.pack(None))
    assert "words" not in held.space.spaces


def test_texts_and_lists_can_be_read_back():
    packed = form(SPECS).pack({"told": "走到厨房", "near": [{"id": "a", "far": 2.0}, {"id": "节点", "far": 3.0}]})
    assert text(packed["told"]) == "走到厨房"
    assert packed["near"]["count"] == 2
    assert [text(row) for row in packed["near"]["id"][:3]] == ["a", "节点", ""]
    assert packed["near"]["far"][:3].tolist() == [2.0, 3.0, 0.0]
    assert text(form(TextSpec(), 4).pack("走到")) == "走"


def test_a_list_longer_than_its_arrays_is_cut():
    many = [{"id": str(number), "far": 1.0} for number in range(LIST_ITEMS + 5)]
    assert form(SPECS).pack({"near": many})["near"]["count"] == LIST_ITEMS


def test_every_number_is_an_action_of_the_task():
    own = {"jump": ActionSpec({"metres": Argument(low=0, high=3)}), "say": ActionSpec({"words": Argument("text")})}
    space = ActionSpace.of(["stop", "turn_left", "velocity", "waypoint", "jump", "say"], own)
    actions = Actions(space)
    actions.space.seed(0)
    names = set()
    for _ in range(100):
        action = actions.action(actions.space.sample(), ())
        assert space.parse(action.name, action.args) == action
        names.add(action.name)
    assert names == set(space.actions) - {"say"}, "no number says a text"


@pytest.mark.parametrize("make", [nav_eval.make_env, nav_eval.make_vec_env])
def test_a_fault_is_told_to_who_calls_from_python(make):
    with pytest.raises(ConfigError, match=r"dataset.limt: unknown key. Did you mean 'limit'\?.* \[overrides\]$"):
        make("pointnav-demo", overrides=["dataset.limt=2"])


@pytest.mark.parametrize(("name", "world"), [("r2r", "graph"), ("pointnav", "room")])
def test_gymnasiums_checker_finds_nothing(request, name, world, made):
    env = made(name, request.getfixturevalue(world), dense_reward=True, expert_actions=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*Box (observation|action) space m(in|ax)imum.*infinity")
        warnings.filterwarnings("ignore", ".*not within the observation space.*shape")
        warnings.filterwarnings("error")
        warnings.filterwarnings("ignore", ".*spec.*")
        warnings.filterwarnings("ignore", ".*different from the unwrapped version.*")
        warnings.filterwarnings("ignore", ".*infinity.*")
        check_env(env.unwrapped, skip_render_check=True)
        check_env(env, skip_render_check=True)


@pytest.mark.parametrize(("name", "world"), [("r2r", "graph"), ("pointnav", "room")])
def test_a_flat_environment_passes_gymnasiums_checker_without_a_warning(request, name, world, made):
    rgb = [] if name == "r2r" else ["simulator.sensors.rgb={width: 8, height: 6}"]
    env = made(name, [*request.getfixturevalue(world), *rgb], flat=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env, skip_render_check=not rgb)
    assert not any(isinstance(space, gymnasium.spaces.Dict) for space in env.observation_space.values())


def test_flat_observations_are_the_nested_ones_by_another_name(graph, made):
    nested, flat = (made("r2r", graph, 2, flat=flat) for flat in (False, True))
    (expected, _), (seen, _) = nested.reset(seed=4), flat.reset(seed=4)
    assert flat.observation_space.contains(seen)
    assert_equal(seen["instruction/text"], expected["instruction"]["text"])
    assert_equal(seen["navigable/count"][:, 0], expected["navigable"]["count"])
    parts = [name for names in expected.values() for name in (names if isinstance(names, dict) else [names])]
    assert len(seen) == len(parts)
    single = made("r2r", graph, flat=True)
    assert_equal(single.reset(seed=4)[0], {name: value[0] for name, value in seen.items()})


@pytest.mark.parametrize(("name", "world"), [("r2r", "graph"), ("pointnav", "room")])
def test_the_expert_reaches_the_goal_and_dense_rewards_add_up(request, name, world, made):
    env = made(name, request.getfixturevalue(world), dense_reward=True, expert_actions=True)
    observation, info = env.reset(seed=3)
    far, total, steps, over = env.unwrapped.distance_to_goal(), 0.0, 0, False
    while not over:
        assert env.observation_space.contains(observation)
        observation, reward, over, truncated, info = env.step(info["expert_action"])
        assert not truncated
        total, steps = total + reward, steps + 1
    assert info["metrics"]["success"] == 1.0
    assert info["expert_action"] == -1
    assert total == pytest.approx(far - env.unwrapped.distance_to_goal() - 0.01 * steps + 2.5)


def test_an_episode_can_be_chosen_and_an_unknown_one_is_refused(graph, made):
    env = made("r2r", graph)
    _, info = env.reset(options={"episode": ("tinyhouse", "2_0")})
    assert (info["scene_id"], info["episode_id"]) == ("tinyhouse", "2_0")
    with pytest.raises(SimulatorError, match="no episode"):
        env.reset(options={"episode": ("tinyhouse", "9")})


def walked(envs, steps, seed=0):
    """Keys of the episodes that begin, in order, with an agent that stops at once."""
    _, infos = envs.reset(seed=seed)
    keys = []
    for _ in range(steps):
        keys += [(s, e) for s, e, there in zip(infos["scene_id"], infos["episode_id"], infos["_episode_id"]) if there]
        envs.step(np.zeros(envs.num_envs, int))
        *_, infos = envs.step(np.zeros(envs.num_envs, int))
    return keys


@pytest.mark.parametrize("order", ["shuffled", "scenes", "fixed"])
@pytest.mark.parametrize("shard", [None, (1, 2)])
def test_an_epoch_plays_each_episode_of_a_shard_once(room, order, shard, made):
    count = 2 if shard is None else 1
    envs = made("pointnav", room, count, order=order, shard=shard)
    with nav_eval.Evaluation("pointnav", overrides=room) as run:
        wanted = [episode.key for episode in run.episodes]
    wanted = wanted if shard is None else wanted[1::2]
    rounds = len(wanted) // count
    first = walked(envs, 2 * rounds)
    assert sorted(first[: len(wanted)]) == sorted(first[len(wanted) :]) == sorted(wanted)
    assert walked(envs, rounds) == first[: len(wanted)], "the same seed, the same order"
    for place in range(count) if order == "scenes" else ():
        scenes = [scene for scene, _ in first[place : len(wanted) : count]]
        assert len(list(groupby(scenes))) == len({*scenes})


def test_more_environments_than_episodes_is_told(room, made):
    with pytest.raises(ConfigError, match="too few for 99 parts"):
        made("pointnav", room, 99, order="shuffled")
    with pytest.raises(ConfigError, match=r"\(2, 2\) is no part of 2"):
        made("pointnav", room, shard=(2, 2))
    with pytest.raises(ConfigError, match="choose from random"):
        made("pointnav", room, order="sorted")


def test_gymnasium_makes_it_by_name_and_its_spec_can_be_pickled(room, made):
    with warnings.catch_warnings():
        warnings.filterwarnings("error")
        warnings.filterwarnings("ignore", ".*infinity.*")
        env = gymnasium.make("nav_eval/pointnav-v1", overrides=room, dense_reward=True, order="shuffled")
        again = gymnasium.make(pickle.loads(pickle.dumps(env.spec)))
        direct = made("pointnav", room, dense_reward=True, order="shuffled")
        third = gymnasium.make(pickle.loads(pickle.dumps(direct.spec)))
        (seen, info), (other, others) = env.reset(seed=3), again.reset(seed=3)
        assert_equal(seen, other)
        assert info == others == third.reset(seed=3)[1]
        assert env.step(1)[1] == again.step(1)[1] == third.step(1)[1] != 0
        envs = gymnasium.make_vec("nav_eval/pointnav-v1", 2, overrides=room)
    assert isinstance(envs.unwrapped, nav_eval.gym.NavVectorEnv)
    for one in (env, again, third, envs):
        one.close()


def test_some_are_reset_and_each_to_an_episode_of_its_own(room, made):
    envs = made("pointnav", room, 3)
    keys = list(envs.envs[0].episodes)
    _, infos = envs.reset(seed=0, options={"episodes": [keys[2], keys[0], keys[1]]})
    assert list(zip(infos["scene_id"], infos["episode_id"])) == [keys[2], keys[0], keys[1]]
    *_, over, _, _ = envs.step(np.array([0, 1, 1]))
    assert over.tolist() == [True, False, False]
    before, *_ = envs.step(np.array([0, 1, 1]))
    mask = np.array([True, False, False])
    seen, infos = envs.reset(options={"reset_mask": mask, "episodes": [keys[3], keys[3], None]})
    assert infos["_episode_id"].tolist() == mask.tolist()
    assert envs.envs[0].environment.simulator.episode.key == keys[3] != envs.envs[1].environment.simulator.episode.key
    assert_equal({name: value[1:] for name, value in seen.items()}, {name: value[1:] for name, value in before.items()})
    for wrong in ([True] * 3, np.zeros(3, bool), np.ones(2, bool)):
        with pytest.raises(ValueError, match="reset_mask"):
            envs.reset(options={"reset_mask": wrong})
    with pytest.raises(ValueError, match="episodes: there are 3"):
        envs.reset(options={"episodes": keys[:2]})
    with pytest.raises(SimulatorError, match="epsode is not an option"):
        envs.reset(options={"epsode": keys[0]})


def test_an_episode_that_is_over_takes_no_step(room, made):
    env = made("pointnav", room)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(1)
    env.reset(seed=0)
    env.step(0)
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        env.step(0)


def test_an_agent_can_be_put_elsewhere_and_is_measured_from_there(room, made):
    env = made("pointnav", room, dense_reward=True)
    env.reset(seed=0)
    env.step(1)
    bare = env.unwrapped
    goal = next(iter(bare.environment.simulator.episode.goals)).position
    near = bare.environment.simulator.navmesh().snap((goal[0] + 0.1, goal[1], goal[2]))
    seen = bare.set_agent_state(nav_eval.AgentState(tuple(near)))
    assert bare.distance_to_goal() < 0.3
    assert env.observation_space.contains(seen)
    _, reward, over, _, info = env.step(0)
    assert over
    assert reward == pytest.approx(2.5 - 0.01), "no reward for having been put nearer"
    assert info["metrics"]["path_length"] == 0
    assert info["metrics"]["spl"] == 1
    env.reset(seed=0)
    with pytest.raises(SimulatorError, match="not on the navmesh"):
        bare.set_agent_state(nav_eval.AgentState((0.0, 50.0, 0.0)))


@pytest.mark.parametrize("within", [None, 0.6])
def test_the_oracle_stops_where_it_is_told(room, within, made):
    more = ["evaluation.success_distance=2.0", "evaluation.max_steps=400"] + (
        [f"simulator.options.expert_within={within}"] if within else []
    )
    env = made("pointnav", [*room, *more], expert_actions=True)
    _, info = env.reset(seed=0)
    far = np.inf
    while info["expert_action"] >= 0:
        far = env.unwrapped.distance_to_goal()
        *_, info = env.step(info["expert_action"])
    assert far < (within or 0.1875)
    assert far > 0.3 or not within


def test_worlds_are_kept_as_many_as_asked(room, made):
    env = made("pointnav", [*room, "simulator.options.worlds=1"], order="fixed")
    loaded = {id(env.unwrapped.environment.simulator.world) for _ in range(4) if env.reset()}
    kept = env.unwrapped.environment.simulator._worlds._worlds
    assert len(kept) == 1
    assert loaded


def test_words_are_numbered_by_a_vocabulary(graph, made):
    plain = made("r2r", graph)
    words = nav_eval.gym.vocabulary(plain.unwrapped.episodes.values())
    assert words == sorted({*words})
    env = made("r2r", graph, vocabulary=[word for word in words if word != "end"])
    seen, _ = env.reset(seed=0)
    told = next(iter(env.unwrapped.episodes.values())).instruction.tokens
    numbers = seen["instruction"]["tokens"]
    shown = [None if number == 1 else env.spec.kwargs["vocabulary"][number - 2] for number in numbers[: len(told)]]
    assert shown == [None if word == "end" else word for word in told]
    assert not numbers[len(told) :].any()
    assert env.observation_space.contains(seen)
    assert "tokens" not in plain.reset()[0]["instruction"]


def test_limits_truncate_stop_terminates_and_an_invalid_action_ends(graph, made):
    env = made("r2r", [*graph, "evaluation.max_steps=2", "task.actions=[stop,turn_left,move_to]"])
    env.reset(seed=0)
    assert env.step(1)[2:4] == (False, False)
    assert env.step(1)[2:4] == (False, True)
    env.reset()
    assert env.step(0)[2:4] == (True, False)
    env.reset()
    *_, terminated, _, info = env.step(2 + LIST_ITEMS - 1)
    assert terminated
    assert "no candidate" in info["invalid_action"]


def test_a_vector_is_its_environments_side_by_side(room, made):
    """Against gymnasium's own SyncVectorEnv of single environments, with the same seeds and actions."""
    ours = made("pointnav", room, 3, dense_reward=True, expert_actions=True)
    single = [lambda: made("pointnav", room, dense_reward=True, expert_actions=True)] * 3
    theirs = gymnasium.vector.SyncVectorEnv(single)
    assert ours.unwrapped.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    assert ours.observation_space == theirs.observation_space
    assert ours.single_action_space == theirs.single_action_space
    (seen, infos), (expected, expected_infos) = ours.reset(seed=7), theirs.reset(seed=7)
    ours.action_space.seed(1)
    for _ in range(90):
        assert_equal(seen, expected)
        assert infos["episode_id"].tolist() == expected_infos["episode_id"].tolist()
        assert infos["expert_action"].tolist() == expected_infos["expert_action"].tolist()
        assert ours.observation_space.contains(seen)
        actions = ours.action_space.sample()
        actions[0] = infos["expert_action"][0] if infos["expert_action"][0] >= 0 else 0
        seen, *numbers, infos = ours.step(actions)
        expected, *expected_numbers, expected_infos = theirs.step(actions)
        for mine, other in zip(numbers, expected_numbers, strict=True):
            assert mine.tolist() == pytest.approx(other.tolist())


def assert_equal(a, b):
    if isinstance(a, dict):
        assert a.keys() == b.keys()
        for key in a:
            assert_equal(a[key], b[key])
    else:
        np.testing.assert_array_equal(a, b)


def test_the_log_tells_what_every_step_draws(room, caplog, made):
    caplog.set_level("INFO", "nav_eval")
    rgb = "simulator.sensors={rgb: {width: 8, height: 6}, depth: {width: 8, height: 6}, gps: {}}"
    made("pointnav", [*room, rgb]).close()
    assert [record.message for record in caplog.records] == ["each step draws depth+rgb 8x6, hfov 90."]


@pytest.mark.parametrize("copy", [True, False])
def test_what_is_kept_stays_as_it_was_unless_copies_are_done_without(room, copy, made):
    envs = made("pointnav", room, 2, copy=copy)
    kept, _ = envs.reset(seed=0)
    then = {name: value.copy() for name, value in kept.items()}
    view = kept["depth"][0, 3:]
    seen = [envs.step(np.full(2, action))[0] for action in (1, 2, 1, 2)]
    assert len({id(one["depth"]) for one in seen}) == (4 if copy else 1)
    assert (kept["depth"] is seen[0]["depth"]) is not copy
    if copy:
        assert_equal(kept, then)
        del kept
        envs.step(np.full(2, 2))
        assert_equal(view, then["depth"][0, 3:])


@pytest.mark.parametrize("processes", [False, True])
def test_other_libraries_read_the_arrays_where_they_are(graph, processes, made):
    envs = made("r2r", graph, 2, flat=True, copy=not processes, processes=processes)
    seen, _ = envs.reset(seed=0)
    held = {name: np.from_dlpack(array) for name, array in seen.items()}
    assert all(np.shares_memory(held[name], array) for name, array in seen.items())
    then = {name: array.copy() for name, array in held.items()}
    del seen
    envs.step(np.full(2, 2))
    if not processes:
        assert_equal(held, then)


def test_texts_follow_their_episodes(graph, made):
    envs = made("r2r", graph, 2, order="fixed")
    for _ in range(3):
        seen, _ = envs.reset()
        told = [env.environment.simulator.episode.instruction.text for env in envs.envs]
        assert [text(row) for row in seen["instruction"]["text"]] == told
        assert [text(row) for row in envs.step(np.ones(2, int))[0]["instruction"]["text"]] == told


def test_processes_share_their_observations_through_memory(graph, made):
    envs = made("r2r", graph, 2, processes=True, expert_actions=True)
    here = made("r2r", graph, 2, expert_actions=True)
    (seen, infos), (expected, expected_infos) = envs.reset(seed=5), here.reset(seed=5)
    for _ in range(6):
        assert_equal(seen, expected)
        assert infos["expert_action"].tolist() == expected_infos["expert_action"].tolist()
        actions = np.maximum(infos["expert_action"], 0)
        assert len(list(iterate(envs.action_space, actions))) == 2
        seen, _, _, _, infos = envs.step(actions)
        expected, _, _, _, expected_infos = here.step(actions)


def test_importing_nav_eval_does_not_import_gymnasium():
    code = "import nav_eval, sys; assert 'gymnasium' not in sys.modules; nav_eval.make_env"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
