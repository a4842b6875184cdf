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
from testing.findings import wrong

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


def test_a_sound_one_passes():
    demand(check_perturbation(Sound))


def scribble(self, name, kind, value, rng):
    value += 1
    return value


def widths(config, width):
    smaller = {name: one.model_copy(update={"width": width}) for name, one in config.sensors.items()}
    return config.model_copy(update={"sensors": smaller})


def faulty(method, call, **more):
    """Sound but for one method."""
    return type("Faulty", (Sound,), {method: call, **more})


WIDENING = faulty("reading", lambda self, name, kind, value, rng: value.astype(np.float64))
IDLE = faulty("reading", lambda self, name, kind, value, rng: value)
SECRETIVE = faulty("instruction", lambda self, given, others, rng: replace(given, text=given.text.upper()))
WORDLESS = faulty("instruction", lambda self, given, others, rng: given.text, rewords=True)


@pytest.mark.parametrize(
    ("made", "check", "said"),
    [
        (Global, "looking twice shows the same", "gps"),
        (Remembering, "every session meets the same", "forget everything in `begin`"),
        (WIDENING, "readings keep their form", "gps"),
        (faulty("reading", scribble), "nothing that is handed in is written to", "make a copy"),
        (IDLE, "it changes something", "neither the simulator"),
        (SECRETIVE, "the instruction stays one", "rewords = True"),
        (WORDLESS, "the instruction stays one", "Return an Instruction"),
        (
            faulty("simulator", lambda self, config: widths(config, 20)),
            "the specs stay as they were",
            "tells the participant",
        ),
    ],
)
def test_a_fault_is_named(made, check, said):
    assert said in wrong(check_perturbation(made))[f"severity 1: {check}"]


def test_what_is_no_perturbation_is_not_admitted():
    class Severe(Perturbation):
        severities = "three"

    with pytest.raises(ConfigError, match="no number of severities"):
        admit_perturbation("severe", Severe)
