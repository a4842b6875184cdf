"""Perturbations of what the cameras show: colour pictures, and frames that do not arrive.

Light is added up in linear values, not in the stored ones: pictures are decoded by sRGB's curve (IEC 61966-2-1) and
encoded again.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.ndimage import gaussian_filter1d

from nav_eval.core.interfaces import Perturbation, RngSource

COLOUR = ("rgb", "panorama", "skybox")
CAMERAS = (*COLOUR, "depth", "depth_panorama", "semantic", "objects")


class Blur(Perturbation):
    """A lens out of focus: Gaussian blur of each channel, edges continued.

    ImageNet-C's gaussian_blur (Hendrycks and Dietterich, ICLR 2019, extra corruptions) at its severities 1, 3 and 5:
    sigma 1, 3 and 6 pixels of a picture 224 pixels high, and in proportion for other heights.
    """

    sensors = COLOUR
    SIGMAS: ClassVar = (1.0, 3.0, 6.0)
    HEIGHT: ClassVar = 224

    def reading(self, name: str, kind: str, value: Any, rng: RngSource) -> Any:
        sigma = self.SIGMAS[self.severity - 1] * value.shape[-3] / self.HEIGHT
        blurred = value.astype(np.float32)
        for axis in (-3, -2):
            blurred = gaussian_filter1d(blurred, sigma, axis, mode="nearest")
        return np.rint(blurred).astype(np.uint8)


class LowLight(Perturbation):
    """A dim room: 1/4, 1/16 and 1/64 of the light (2, 4 and 6 stops), with the shot noise of what is left.

    After the low-light noise of 3D Common Corruptions (Kar et al., CVPR 2022), which darkens and adds Poisson noise;
    the amounts are ours. White gives 1000 electrons in full light; their number is Poisson's, fresh at every step.
    """

    sensors = COLOUR
    LIGHT: ClassVar = (1 / 4, 1 / 16, 1 / 64)
    ELECTRONS: ClassVar = 1000

    def reading(self, name: str, kind: str, value: Any, rng: RngSource) -> Any:
        expected = linear(value) * (self.LIGHT[self.severity - 1] * self.ELECTRONS)
        return stored(rng.of_step(name).poisson(expected) / self.ELECTRONS)


class ColourShift(Perturbation):
    """A wrong white balance: in linear light red times g and blue divided by it, or the other way round.

    g is 2 to the power 1/2, 1 and 3/2; a coin for each episode decides between warm and cold. That cameras' white
    balance errs and that networks suffer from it: Afifi and Brown, ICCV 2019; gains per channel are von Kries' model,
    the amounts are ours.
    """

    sensors = COLOUR
    STOPS: ClassVar = (0.5, 1.0, 1.5)

    def reading(self, name: str, kind: str, value: Any, rng: RngSource) -> Any:
        warm = 1 if rng.of_episode().random() < 0.5 else -1
        gain = 2.0 ** (warm * self.STOPS[self.severity - 1])
        table = np.stack([stored(linear(LEVELS) * factor) for factor in (gain, 1.0, 1 / gain)], axis=1)
        return table[value, np.arange(3)]


class DroppedFrames(Perturbation):
    """Frames that do not arrive: with probability 0.1, 0.3 and 0.5 all cameras show once more what they showed last.

    As the frozen or lost frames of autonomous driving's robustness benchmarks (RoboBEV, Xie et al., 2023; nuScenes-C,
    Dong et al., CVPR 2023); the probabilities are ours. The first frame of an episode always arrives.
    """

    sensors = CAMERAS
    CHANCES: ClassVar = (0.1, 0.3, 0.5)

    def begin(self) -> None:
        self._last: dict[str, Any] = {}

    def reading(self, name: str, kind: str, value: Any, rng: RngSource) -> Any:
        dropped = rng.of_step().random() < self.CHANCES[self.severity - 1]
        if not dropped or name not in self._last:
            self._last[name] = value
        return self._last[name]


class NoPictures(Perturbation):
    """A control: cameras show nothing, zeros or an empty list. What is left of success needs no eyes."""

    severities = 1
    sensors = CAMERAS

    def reading(self, name: str, kind: str, value: Any, rng: RngSource) -> Any:
        return np.zeros_like(value) if isinstance(value, np.ndarray) else type(value)()


LEVELS = np.arange(256, dtype=np.uint8)
_SHARES = np.arange(256) / 255
_LINEAR = np.where(_SHARES <= 0.04045, _SHARES / 12.92, ((_SHARES + 0.055) / 1.055) ** 2.4).astype(np.float32)


def linear(picture: Any) -> Any:
    """uint8 sRGB -> linear light from 0 to 1."""
    return _LINEAR[picture]


def stored(light: Any) -> Any:
    """Linear light -> uint8 sRGB; what is brighter than white is white."""
    light = np.clip(light, 0.0, 1.0)
    share = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.rint(share * 255).astype(np.uint8)
