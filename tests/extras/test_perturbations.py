"""Each built-in perturbation against another formula, another library or a case worked out by hand."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import scipy
from PIL import Image, ImageFilter

from nav_eval.config.schema import (
    BodyConfig,
    EvaluationConfig,
    MotionConfig,
    PeopleConfig,
    SensorConfig,
    SimulatorConfig,
)
from nav_eval.core.perturbing import PerturbedSensors, SeededRngSource
from nav_eval.dataset.episode import Episode, Instruction
from nav_eval.simulator.perturbations.registry import PERTURBATIONS

EPISODE = ("house.glb", "7")


def made(name, severity):
    return PERTURBATIONS.get(name)(severity)


def reading(name, severity, value, *, kind="rgb", step=0, episode=EPISODE, seed=0):
    perturbation = made(name, severity)
    perturbation.begin()
    return perturbation.reading(kind, kind, value, SeededRngSource(seed, episode, name, step))


def picture(height=224, width=224):
    return np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)


@pytest.mark.parametrize(("severity", "sigma"), [(1, 1.0), (2, 3.0), (3, 6.0)])
def test_blur_is_a_sum_weighted_by_the_bell_curve(severity, sigma):
    """ImageNet-C's sigma at its severities 1, 3 and 5, as a plain sum over shifted pictures and as Pillow has it."""
    image, reach = picture(), int(4 * sigma + 0.5)
    weights = [math.exp(-k * k / (2 * sigma * sigma)) for k in range(-reach, reach + 1)]
    total = image.astype(float)
    for axis in (0, 1):
        pad = [(reach, reach) if a == axis else (0, 0) for a in range(3)]
        wide = np.pad(total, pad, mode="edge")
        parts = [w * np.take(wide, range(i, i + 224), axis=axis) for i, w in enumerate(weights)]
        total = np.sum(parts, axis=0) / math.fsum(weights)
    ours = reading("blur", severity, image)
    assert np.abs(ours - total).max() <= 0.51
    pillow = np.asarray(Image.fromarray(image).filter(ImageFilter.GaussianBlur(sigma)))[40:-40, 40:-40]
    assert np.abs(ours[40:-40, 40:-40].astype(int) - pillow).mean() < 2


def test_blur_takes_as_much_of_a_picture_of_any_size_and_of_each_view():
    flat = np.zeros((448, 64, 3), np.uint8)
    flat[224:] = 255
    columns = reading("blur", 1, flat)[:, 0, 0].astype(float)
    expected = 255 * scipy.stats.norm.cdf((np.arange(448) - 223.5) / 2.0)
    assert np.abs(columns - expected).max() < 2
    views = np.stack([picture(60, 80), picture(60, 80)])
    assert np.array_equal(reading("blur", 2, views)[1], reading("blur", 2, views[1]))


@pytest.mark.parametrize(("severity", "share"), [(1, 1 / 4), (2, 1 / 16), (3, 1 / 64)])
def test_low_light_leaves_a_share_of_the_light_and_poissons_noise(severity, share):
    """Grey 188 is half of the light: 500 electrons of 1000 in full light."""
    image = np.full((200, 200, 3), 188, np.uint8)
    dim = reading("low_light", severity, image)
    light = np.where(dim <= 10, dim / 255 / 12.92, ((dim / 255 + 0.055) / 1.055) ** 2.4)
    electrons = 500 * share
    assert light.mean() * 1000 == pytest.approx(electrons, rel=0.03)
    assert (light * 1000).var() == pytest.approx(electrons, rel=0.1)


def test_low_light_is_new_at_every_step_and_the_same_for_everybody():
    image = picture(32, 32)
    assert np.array_equal(reading("low_light", 2, image, step=3), reading("low_light", 2, image, step=3))
    assert not np.array_equal(reading("low_light", 2, image, step=3), reading("low_light", 2, image, step=4))


def test_colour_shift_of_a_grey_wall_is_what_a_stop_makes_of_it():
    """Severity 2: linear 0.2140 (grey 127) becomes 0.4281 and 0.1070; sRGB has 174 and 92 for these."""
    grey = np.full((2, 2, 3), 127, np.uint8)
    shades = {tuple(reading("colour_shift", 2, grey, episode=("s", str(n)))[0, 0].tolist()) for n in range(40)}
    assert shades == {(174, 127, 92), (92, 127, 174)}


def test_colour_shift_leaves_green_and_clips_at_white():
    image = picture(16, 16)
    shifted = reading("colour_shift", 3, image)
    assert np.array_equal(shifted[..., 1], image[..., 1])
    assert np.array_equal(shifted, reading("colour_shift", 3, image, step=9))
    assert set(reading("colour_shift", 3, np.full((1, 1, 3), 255, np.uint8)).ravel().tolist()) >= {255}


@pytest.mark.parametrize(("severity", "chance"), [(1, 0.1), (2, 0.3), (3, 0.5)])
def test_dropped_frames_repeat_the_last_that_came_for_all_cameras_alike(severity, chance):
    perturbation = made("dropped_frames", severity)
    perturbation.begin()
    shown = []
    for step in range(2000):
        rng = SeededRngSource(0, EPISODE, "dropped_frames", step)
        shown.append([perturbation.reading(name, name, step, rng) for name in ("rgb", "depth", "rgb")])
    assert all(len(set(row)) == 1 for row in shown)
    seen = [row[0] for row in shown]
    dropped = sum(one != step for step, one in enumerate(seen))
    assert scipy.stats.binomtest(dropped, 1999, chance).pvalue > 0.01
    assert seen[0] == 0
    assert all(now in (step, before) for step, (before, now) in enumerate(pairwise(seen), 1))


def test_drift_is_a_random_walk_with_the_deviation_of_dead_reckoning():
    """After n actions the square root of n times one increment's deviation, by the chi-squared test of 400 episodes."""
    ends = [
        reading("pose_drift", 2, np.zeros(2, np.float32), kind="gps", step=100, episode=("s", str(n)))
        for n in range(400)
    ]
    spread = np.square(np.array(ends) / (0.03 * 10)).sum()
    assert 0.005 < scipy.stats.chi2.cdf(spread, 800) < 0.995
    walk = [reading("pose_drift", 2, np.zeros(2, np.float32), kind="gps", step=n) for n in range(50)]
    assert not walk[0].any()
    assert np.abs(np.diff(walk, axis=0)).max() < 0.03 * 5
    turned = [reading("pose_drift", 3, np.full(1, 3.1, np.float32), kind="compass", step=n) for n in range(0, 900, 9)]
    assert max(abs(float(angle[0])) for angle in turned) <= math.pi + 1e-6
    assert len({float(angle[0]) > 0 for angle in turned}) == 2


SIMULATOR = SimulatorConfig(
    sensors={
        "rgb": SensorConfig(hfov=79),
        "view": SensorConfig(type="depth"),
        "gps": SensorConfig(),
        "depth": SensorConfig(options={"noise": "redwood", "noise_multiplier": 0.5}),
    },
    body=BodyConfig(camera_height=0.7),
)


def test_of_the_body_only_what_is_named_changes():
    lower = made("camera_height", 2).simulator(SIMULATOR)
    assert lower == SIMULATOR.model_copy(
        update={"body": SIMULATOR.body.model_copy(update={"camera_height": pytest.approx(0.3)})}
    )
    assert made("camera_height", 3).simulator(SIMULATOR).body.camera_height == 0.2
    narrow = made("field_of_view", 3).simulator(SIMULATOR).sensors
    assert {name: sensor.hfov for name, sensor in narrow.items()} == {
        "rgb": 39.5,  # RobustNav's
        "view": 45.0,
        "gps": None,
        "depth": 45.0,
    }
    noisy = made("depth_noise", 2).simulator(SIMULATOR).sensors
    assert noisy["view"].options == {"noise": "redwood", "noise_multiplier": 2.0}
    assert noisy["depth"].options == {"noise": "redwood", "noise_multiplier": 2.5}
    assert noisy["rgb"] == SIMULATOR.sensors["rgb"]
    rough = made("actuation_noise", 1).simulator(SIMULATOR).motion
    assert (rough.noise, rough.noise_multiplier) == ("LoCoBot/ILQR", 0.5)
    own = SIMULATOR.model_copy(update={"motion": MotionConfig(noise="LoCoBot/Movebase", noise_multiplier=1.0)})
    rough = made("actuation_noise", 3).simulator(own).motion
    assert (rough.noise, rough.noise_multiplier) == ("LoCoBot/Movebase", 3.0)


@pytest.mark.parametrize("name", ["camera_height", "actuation_noise"])
def test_a_graph_has_no_body_to_be_changed(name):
    graph = SIMULATOR.model_copy(update={"backend": "nav_graph"})
    assert made(name, 3).simulator(graph) is graph


ENGLISH = "Walk through the hallway and stop beside the yellow chair in the kitchen near the long window"
CHINESE = "穿过走廊，在木桌前右转，停在黄色的椅子旁边。"


def reword(name, severity, text, others=(), language="en", episode=EPISODE):
    given = Instruction(text=text, language=language)
    return made(name, severity).instruction(given, others, SeededRngSource(0, episode, name))


@pytest.mark.parametrize(("severity", "count"), [(1, 2), (2, 4), (3, 6)])
def test_typos_swap_inner_letters_in_a_share_of_the_long_words(severity, count):
    """Eleven words have four letters or more and two inner neighbours that differ; 10, 30 and 50 % are 2, 4 and 6."""
    words, mistyped = ENGLISH.split(), reword("typos", severity, ENGLISH).text.split()
    changed = [(a, b) for a, b in zip(words, mistyped, strict=True) if a != b]
    long = [word for word in words if len(word) >= 4]
    assert len(long) == 11
    assert len(changed) == count
    for word, other in changed:
        assert Counter(word) == Counter(other)
        assert (word[0], word[-1]) == (other[0], other[-1])
        assert sum(a != b for a, b in zip(word, other, strict=True)) == 2


def test_typos_of_chinese_swap_neighbours_and_leave_the_punctuation():
    mistyped = reword("typos", 3, CHINESE, language="zh").text
    assert mistyped != CHINESE
    assert [place for place, c in enumerate(mistyped) if c in "，。"] == [
        place for place, c in enumerate(CHINESE) if c in "，。"
    ]
    assert Counter(mistyped) == Counter(CHINESE)


def test_nothing_to_mistype_stays_as_it_is():
    assert reword("typos", 3, "go to it").text == "go to it"
    assert reword("typos", 3, "aaaa bbbbb").text == "aaaa bbbbb"


def test_truncated_keeps_the_first_words():
    assert reword("truncated", 1, "one two, three four").text == "one two, three"
    assert reword("truncated", 2, "one two, three four").text == "one two,"
    assert reword("truncated", 3, "one two, three four five").text == "one two,"
    assert reword("truncated", 2, "穿过走廊。").text == "穿过走"


def test_other_wordings_come_from_the_data_set_alone():
    others = [
        Instruction(text="b", language="en-GB"),
        Instruction(text="c", language="en-US"),
        Instruction(text="丙", language="zh"),
    ]
    drawn = {reword("paraphrase", 1, "a", others, "en-US", ("s", str(n))).text for n in range(30)}
    assert drawn == {"b", "c"}
    assert reword("other_language", 1, "a", others).text == "丙"
    assert reword("other_language", 1, "a", others[:2]).text == "a"


def test_absent_readings_stay_absent():
    perturbed = PerturbedSensors({"blur": made("blur", 1)}, {"rgb": "rgb"}, 0)
    perturbed.begin(Episode(episode_id="1", scene_id="s"))
    assert perturbed.apply({"rgb": None, "gps": 1}, 0) == {"rgb": None, "gps": 1}


@pytest.mark.parametrize(("severity", "more"), [(1, 2), (2, 4), (3, 6)])
def test_more_people_come_along_the_agents_way(severity: int, more: int) -> None:
    """Beside those who are there, whose other habits stay; none where nobody could walk or be drawn."""
    people = PeopleConfig(count=3, options={"pause": 1.0, "crossing": 0.2})
    config = SimulatorConfig(people=people)
    found = made("people_in_the_way", severity).simulator(config).people
    assert (found.count, found.options) == (3 + more, {"pause": 1.0, "crossing": 1.0})
    for other in ({"backend": "nav_graph"}, {"people": PeopleConfig(motion="recorded")}):
        nowhere = config.model_copy(update=other)
        assert made("people_in_the_way", severity).simulator(nowhere) == nowhere


@pytest.mark.parametrize(("severity", "seconds"), [(1, 0.5), (2, 1.0), (3, 2.0)])
def test_answers_cost_so_many_seconds_more(severity: int, seconds: float) -> None:
    late = made("latency", severity)
    waiting = late.evaluation(EvaluationConfig())
    assert (waiting.clock, waiting.latency_s, waiting.step_s) == ("charged", seconds, 0.5)
    declared = EvaluationConfig(clock="charged", latency_s=0.3)
    assert late.evaluation(declared).latency_s == pytest.approx(0.3 + seconds)
    measured = EvaluationConfig(clock="charged")
    assert late.evaluation(measured) == measured
