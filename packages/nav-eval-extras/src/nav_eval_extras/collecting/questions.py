"""Questions about a walk whose answers are known: rooms, things on each side, doors, what was passed, what to do next.

What is in sight is counted on a small semantic picture of each step; only what is plain is asked, so that a room
needs most of the picture, a thing a hundredth of it, a side four fifths of the thing, and no door is hardly in sight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, cast

import numpy as np

from nav_eval.config.schema import Config
from nav_eval.core.capabilities import HasRenderer, HasScene
from nav_eval.core.environment import derived_seed
from nav_eval.core.interfaces import Simulator
from nav_eval.engine.render.camera import Lens
from nav_eval.engine.scene.scene import Scene, SemanticObject, SemanticRegion
from nav_eval.errors import ConfigError
from nav_eval.runs.generators import GENERATORS, NamesScenes
from nav_eval_extras.collecting.asking import MAX_COUNT, TEXTS, Told, tell
from nav_eval_extras.collecting.formats.answers import decisions
from nav_eval_extras.collecting.formats.base import About
from nav_eval_extras.collecting.walking import Walk

COLUMNS = 160
"""Of the small picture, at most."""
PLAIN, DOOR = 0.01, 0.004
"""Shares of the picture from which a thing and a door are plain."""
SIDE, ROOM = 0.8, 0.6
"""Shares: of a thing's pixels in one third of the picture, of the picture that shows one room."""
INSIDE, BESIDE, BEYOND, AHEAD = 0.3, 1.5, 0.5, 1.0
"""m: from the walls of the room one is in; from the way to what was passed; from there on; to what is still ahead."""
HISTORY = 8
"""Frames, at most, that a question about the way is asked with, as NaVILA takes."""
SIDES = ("left", "ahead", "right")


@dataclass(frozen=True)
class Fact:
    """What is asked of a step, in no language. `things`: object ids, of "room" the region's, of "next" the actions.

    `count`: doors in view, or 1 for what was passed.
    """

    kind: str
    step: int
    things: tuple[int, ...] = ()
    count: int = 0


class Asker:
    """Looks at each step of a walk, and at its end draws so many questions, each in all languages of its instructions.

    Raises ConfigError where nobody says what the scene's things are called.
    """

    def __init__(self, config: Config, about: About, count: int) -> None:
        made = config.dataset.generate
        generator: Any = GENERATORS.get(made.generator) if made else None
        if not isinstance(generator, NamesScenes):
            raise ConfigError("collect: questions need a generated building, whose rooms and things have names.")
        self._generator, self._about, self._count, self._seed = generator, about, count, config.seed
        columns = min(COLUMNS, about.lens.width)
        self._lens = Lens(columns, max(1, round(columns * about.lens.height / about.lens.width)), about.lens.hfov)
        self._views: list[dict[int, Any]] = []

    def look(self, simulator: Simulator) -> None:
        renderer = cast("HasRenderer", simulator).renderer(self._lens, ("semantic",))
        position, yaw, pitch = cast("HasRenderer", simulator).camera()
        self._views.append(shares(renderer.render(position, yaw, pitch, people=simulator.people()).semantic))

    def ask(self, walk: Walk, simulator: Simulator) -> list[dict[str, Any]]:
        """What was seen since the last call, as plain JSON: `kind`, `step`, `frames`, `texts`."""
        views, self._views = self._views, []
        if not isinstance(simulator, HasScene):
            raise ConfigError("collect: questions need a generated building, whose rooms and things have names.")
        scene = simulator.scene()
        spoken = {one.language.split("-")[0]: one.text for one in reversed(walk.route.wordings)}
        called = {tag: self._generator.called(scene, tag) for tag in TEXTS if tag in spoken}
        named = frozenset(next(iter(called.values()))[0]) if called else frozenset()
        chance = np.random.default_rng(derived_seed(self._seed, *walk.route.key, "questions"))
        drawn = draw(list(facts(walk, views, scene, named)), self._count, chance) if called else []
        told = {tag: Told(*names, spoken[tag]) for tag, names in called.items()}
        return [self._row(fact, told) for fact in drawn]

    def _row(self, fact: Fact, told: Mapping[str, Told]) -> dict[str, Any]:
        way = fact.kind in ("passed", "next")
        frames = np.linspace(0, fact.step, HISTORY).astype(int).tolist() if way else [fact.step]
        texts = [[tag, *tell(fact, tag, words, self._about)] for tag, words in told.items()]
        return {"kind": fact.kind, "step": fact.step, "frames": [*dict.fromkeys(frames)], "texts": texts}


def draw(found: Sequence[Fact], count: int, chance: np.random.Generator) -> list[Fact]:
    """So many, of each kind and of yes and no as many as there are; in the order of steps."""
    heaps: dict[tuple[str, bool], list[Fact]] = {}
    for fact in found:
        heaps.setdefault((fact.kind, fact.count > 0), []).append(fact)
    piles = [[heap[at] for at in chance.permutation(len(heap))] for _, heap in sorted(heaps.items())]
    turns = sorted((turn, float(chance.random()), pile[turn]) for pile in piles for turn in range(len(pile))[:count])
    return sorted((fact for _, _, fact in turns[:count]), key=lambda fact: (fact.step, fact.kind))


def shares(semantic: Any) -> dict[int, Any]:
    """(H, W) object ids -> of each id the shares of the picture that it fills in its left, middle and right third."""
    ids, columns = np.unique(semantic), np.arange(semantic.shape[1]) * 3 // semantic.shape[1]
    cells = np.searchsorted(ids, semantic) * 3 + columns
    counts = np.bincount(cells.ravel(), minlength=3 * len(ids)).reshape(-1, 3) / semantic.size
    return {int(one): row for one, row in zip(ids, counts)}


def facts(walk: Walk, views: Sequence[Mapping[int, Any]], scene: Scene, named: frozenset[int]) -> Iterator[Fact]:
    """All that is plain on a walk. `named`: the things that have names."""
    things = {thing.id: thing for thing in scene.objects}
    for step, view in enumerate(views):
        plain = sorted((one for one in view if one in named and view[one].sum() >= PLAIN), key=lambda i: -view[i].sum())
        yield from _room(step, view, walk, scene, {things[one].region for one in plain})
        for third, side in enumerate(SIDES):
            if seen := tuple(one for one in plain if view[one][third] >= SIDE * view[one].sum()):
                yield Fact(side, step, seen)
        doors = [view[one].sum() for one in view if one in things and things[one].category == "door"]
        if all(share >= DOOR for share in doors) and len(doors) <= MAX_COUNT:
            yield Fact("doors", step, count=len(doors))
    for thing in (things[one] for one in sorted(named)):
        yield from _passed(walk, views, scene, thing)
    for step, labels in decisions(walk):
        yield Fact("next", step, tuple(labels))


def _room(step: int, view: Mapping[int, Any], walk: Walk, scene: Scene, shown: set[int]) -> Iterator[Fact]:
    """`shown`: the regions of which a named thing is plain."""
    region = next((one for one in scene.regions if _inside(one, walk.poses[step], INSIDE)), None)
    if region is None or region.id not in shown:
        return
    if sum(view[one.id].sum() for one in scene.objects if one.region == region.id and one.id in view) >= ROOM:
        yield Fact("room", step, (region.id,))


def _inside(region: SemanticRegion, pose: Sequence[float], margin: float = 0.0) -> bool:
    across = all(region.low[i] + margin <= pose[i] <= region.high[i] - margin for i in (0, 2))
    return across and region.low[1] - 0.3 <= pose[1] <= region.high[1] - 1.0


def _passed(walk: Walk, views: Sequence[Mapping[int, Any]], scene: Scene, thing: SemanticObject) -> Iterator[Fact]:
    """Whether one has come by a thing, in steps where it is the only one of its kind that was in sight so far."""
    alike = {one.id for one in scene.objects if one.category == thing.category and one.id != thing.id}
    rivals = next((step for step, view in enumerate(views) if alike & view.keys()), len(views))
    first = next((step for step, view in enumerate(views) if _plain(view, thing.id)), rivals)
    far = [_distance(thing, pose) for pose in walk.poses]
    nearest = list(accumulate(far, min))
    for step in range(first, rivals):
        ahead = _depths(thing, walk.cameras[step])
        if _plain(views[step], thing.id) and ahead.min() >= AHEAD and far[step] <= nearest[step]:
            yield Fact("passed", step, (thing.id,), 0)
        elif ahead.max() < 0 and _beside(walk, scene, thing, first, step, far):
            yield Fact("passed", step, (thing.id,), 1)


def _beside(walk: Walk, scene: Scene, thing: SemanticObject, first: int, step: int, far: Sequence[float]) -> bool:
    """Whether the way since `first` led by the thing, in its room, and on."""
    nearest = first + int(np.argmin(far[first : step + 1]))
    room = next((one for one in scene.regions if one.id == thing.region), None)
    if room is None or far[nearest] > BESIDE or far[step] < far[nearest] + BEYOND:
        return False
    way = np.subtract(walk.poses[step][:3], walk.poses[first][:3])
    along = np.subtract(thing.center, walk.poses[first][:3]) @ way
    return _inside(room, walk.poses[nearest]) and bool(0 < along < way @ way)


def _plain(view: Mapping[int, Any], thing: int) -> bool:
    return thing in view and view[thing].sum() >= PLAIN


def _distance(thing: SemanticObject, pose: Sequence[float]) -> float:
    """m from a place to a thing's box, on the floor."""
    gaps = [max(abs(pose[i] - thing.center[i]) - thing.size[i] / 2, 0.0) for i in (0, 2)]
    return float(np.hypot(*gaps))


def _depths(thing: SemanticObject, camera: Any) -> Any:
    """(8,) m: how far ahead of a camera with this (4, 4) pose the corners of a thing's box are."""
    signs = np.array(np.meshgrid(*[(-0.5, 0.5)] * 3)).reshape(3, 8).T
    return (np.array(thing.center) + signs * thing.size - camera[:3, 3]) @ camera[:3, 2]
