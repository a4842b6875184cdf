"""The kit for perturbations passes what is built in and names what is broken."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from nav_eval import Perturbation
from nav_eval.core.contracts import admit_perturbation
from nav_eval.errors import ConfigError
from nav_eval.testing import check_perturbation, demand
from testing.test_kits import wrong

QUICK = ("camera_height", "field_of_view", "depth_noise", "actuation_noise", "pose_drift", "paraphrase", "typos")


@pytest.mark.parametrize("name", [*QUICK, "other_language", "truncated"])
def test_our_own_conform(name):
    demand(check_perturbation(name))


@pytest.mark.soak
@pytest.mark.parametrize("name", ["blur", "low_light", "colour_shift", "dropped_frames"])
def test_our_own_of_pictures_conform(name):
    demand(check_perturbation(name))


class Sound(Perturbation):
    """Shifts the gps reading by what it draws for the episode."""

    severities = 1
    sensors: ClassVar = ("gps",)

    def reading(self, name, kind, value, rng):
        return value + rng.of_episode().normal(0, 1, 2).astype(value.dtype)


class Global(Sound):
    """Draws from a generator of its own."""

    def __init__(self, severity):
        super().__init__(severity)
        self.generator = np.random.default_rng()

    def reading(self, name, kind, value, rng):
        return value + self.generator.normal(0, 1, 2).astype(value.dtype)


class Remembering(Sound):
    """Counts through episodes."""

    looks = 0

    def reading(self, name, kind, value, rng):
        self.looks += 1
        return value + np.float32(self.looks)


class Widening(Sound):
    def reading(self, name, kind, value, rng):
        return value.astype(np.float64)


class Scribbling(Sound):
    def reading(self, name, kind, value, rng):
        value += 1
        return value


class Idle(Sound):
    def reading(self, name, kind, value, rng):
        return value


class Secretive(Sound):
    def instruction(self, given, others, rng):
        return replace(given, text=given.text.upper())


class Wordless(Sound):
    rewords = True

    def instruction(self, given, others, rng):
        return given.text


class Telling(Sound):
    def simulator(self, config):
        smaller = {name: one.model_copy(update={"width": 20}) for name, one in config.sensors.items()}
        return config.model_copy(update={"sensors": smaller})


def test_a_sound_one_passes():
    demand(check_perturbation(Sound))


@pytest.mark.parametrize(
    ("made", "check", "said"),
    [
        (Global, "looking twice shows the same", "gps"),
        (Remembering, "every session meets the same", "forget everything in `begin`"),
        (Widening, "readings keep their form", "gps"),
        (Scribbling, "nothing that is handed in is written to", "make a copy"),
        (Idle, "it changes something", "neither the simulator"),
        (Secretive, "the instruction stays one", "rewords = True"),
        (Wordless, "the instruction stays one", "Return an Instruction"),
        (Telling, "the specs stay as they were", "tells the participant"),
    ],
)
def test_a_fault_is_named(made, check, said):
    assert said in wrong(check_perturbation(made))[f"severity 1: {check}"]


def test_what_is_no_perturbation_is_not_admitted():
    class Severe(Perturbation):
        severities = "three"

    with pytest.raises(ConfigError, match="no number of severities"):
        admit_perturbation("severe", Severe)
