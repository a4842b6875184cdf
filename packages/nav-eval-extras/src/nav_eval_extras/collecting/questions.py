"""Questions about a walk whose answers are known: rooms, things on each side, doors, what was passed, what to do next.

What is in sight is counted on a small semantic picture of each step. Only what is plain is asked: a room is most of the
picture, a thing a hundredth of it and not cut off unless it is large; four fifths of a thing are on its side.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from nav_eval.config.schema import Config
from nav_eval.core.capabilities import HasScene
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
PLAIN, DOOR, LARGE = 0.01, 0.004, 0.05
"""Shares of the picture from which a thing and a door are plain, and a thing even if it is not whole."""
SIDE, ROOM, WHOLE = 0.8, 0.6, 0.6
"""Shares: of a thing's pixels in one third of the picture; of the picture that shows one room; of the breadth of
what is whole."""
INSIDE, BESIDE, BEYOND, AHEAD, NEAR = 0.3, 1.5, 0.5, 1.0, 0.3
"""m: from the walls of the room one is in; from the way to what was passed; from there on; to what is still ahead;
to a door, at least."""
HISTORY = 8
"""Frames, at most, that a question about the way is asked with, as NaVILA takes."""
SIDES, LIKE_DOORS = ("left", "ahead", "right"), ("doorway", "mirror")
Names = Sequence[str]
"""Of a thing, one in each language."""


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
    """Looks at each step of a walk, and at its end draws `count` questions, each in all languages of its instructions.

    Raises ConfigError where nobody says what the scene's things are called.
    """

    def __init__(self, simulator: Simulator, config: Config, about: About, count: int) -> None:
        made = config.dataset.generate
        generator: Any = GENERATORS.get(made.generator) if made else None
        if not isinstance(generator, NamesScenes) or not isinstance(simulator, HasScene):
            raise ConfigError("collect: questions need a generated building, whose rooms and things have names.")
        self._simulator: Any = simulator
        self._generator, self._about, self._count, self._seed = generator, about, count, config.seed
        columns = min(COLUMNS, about.lens.width)
        self._lens = Lens(columns, max(1, round(columns * about.lens.height / about.lens.width)), about.lens.hfov)

    def look(self) -> View:
        """What is in sight now."""
        renderer, camera = self._simulator.renderer(self._lens, ("semantic",)), self._simulator.camera()
        return view_of(renderer.render(*camera, people=self._simulator.people()).semantic)

    def ask(self, walk: Walk, views: Sequence[View]) -> list[dict[str, Any]]:
        """Plain JSON: `kind`, `step`, `frames` (that the question is about), `texts` (language, question, answer)."""
        scene = self._simulator.scene()
        spoken = {one.language.split("-")[0]: one.text for one in reversed(walk.route.wordings)}
        called = {tag: self._generator.called(scene, tag) for tag in TEXTS if tag in spoken}
        chance = np.random.default_rng(derived_seed(self._seed, *walk.route.key, "questions"))
        names = {one: [things[one] for things, _ in called.values()] for things, _ in called.values() for one in things}
        rooms = frozenset(one for _, rooms in called.values() for one in rooms)
        drawn = draw(list(facts(walk, views, scene, names, rooms)), self._count, chance) if called else []
        told = {tag: Told(*words, spoken[tag]) for tag, words in called.items()}
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


@dataclass(frozen=True)
class Seen:
    """Shares of the picture that a thing fills, in all and in its left, middle and right third; its first and last
    column, from 0 to 1."""

    share: float
    thirds: Sequence[float]
    span: tuple[float, float]


View = Mapping[int, Seen]
"""Of what is in sight, by object id."""


def view_of(semantic: Any) -> dict[int, Seen]:
    """(H, W) object ids."""
    ids, width = np.unique(semantic), semantic.shape[1]
    cells = np.searchsorted(ids, semantic) * width + np.arange(width)
    counts = np.bincount(cells.ravel(), minlength=width * len(ids)).reshape(-1, width) / semantic.size
    thirds = np.add.reduceat(counts, [width * third // 3 for third in range(3)], axis=1).tolist()
    firsts, lasts = (counts > 0).argmax(1) / width, 1 - (counts[:, ::-1] > 0).argmax(1) / width
    rows = zip(ids.tolist(), thirds, firsts.tolist(), lasts.tolist())
    return {one: Seen(sum(third), third, (first, last)) for one, third, first, last in rows}


def facts(
    walk: Walk, views: Sequence[View], scene: Scene, names: Mapping[int, Names], rooms: Set[int]
) -> Iterator[Fact]:
    """All that is plain on a walk. `names`: of things; `rooms`: the regions that have a name."""
    things = {thing.id: thing for thing in scene.objects}
    shown = [_plain(view, [things[one] for one in view if one in names], walk, at) for at, view in enumerate(views)]
    for step, (view, plain) in enumerate(zip(views, shown)):
        yield from _room(step, view, walk, scene, rooms & {things[one].region for one in plain})
        for third, side in enumerate(SIDES):
            if seen := tuple(one for one in plain if view[one].thirds[third] >= SIDE * view[one].share):
                yield Fact(side, step, seen)
        yield from _doors(step, view, walk, [things[one] for one in view if one in things])
    for thing in (things[one] for one in sorted(set().union(*shown))):
        alike = {one for one in names if one != thing.id and _alike(names[one], names[thing.id])}
        alike |= {one.id for one in scene.objects if one.id != thing.id and one.category == thing.category}
        rivals = next((step for step, view in enumerate(views) if alike & view.keys()), len(views))
        yield from _passing_facts(walk, shown[:rivals], scene, thing)
    for step, labels in decisions(walk):
        yield Fact("next", step, tuple(labels))


def _plain(view: View, things: Sequence[SemanticObject], walk: Walk, step: int) -> list[int]:
    """The things that anybody would know at a glance, the largest first."""
    found = {thing.id: view[thing.id].share for thing in things}
    whole = [thing.id for thing in things if found[thing.id] >= LARGE or _whole(thing, view[thing.id], walk, step)]
    return sorted((one for one in whole if found[one] >= PLAIN), key=lambda one: -found[one])


def _alike(names: Names, others: Names) -> bool:
    """Whether in some language they have a word in common, so that a reader may take one thing for the other."""
    return any(not set(one.split()).isdisjoint(other.split()) for one, other in zip(names, others))


def _doors(step: int, view: View, walk: Walk, things: Sequence[SemanticObject]) -> Iterator[Fact]:
    """Not where one is cut off or hidden, or where there is something that one may take for a door."""
    doors = [thing for thing in things if thing.category == "door"]
    if len(doors) > MAX_COUNT or any(thing.category in LIKE_DOORS for thing in things):
        return
    if all(view[door.id].share >= DOOR and _whole(door, view[door.id], walk, step) for door in doors):
        yield Fact("doors", step, count=len(doors))


def _whole(thing: SemanticObject, seen: Seen, walk: Walk, step: int) -> bool:
    """Whether most of the breadth that its box has there is in sight."""
    local = _corners(thing, walk.cameras[step])
    if local[:, 2].min() < NEAR:
        return False
    columns = local[:, 0] / local[:, 2] * walk.lens.focal / walk.lens.width + 0.5
    return bool(seen.span[1] - seen.span[0] >= WHOLE * (columns.max() - columns.min()))


def _room(step: int, view: View, walk: Walk, scene: Scene, shown: Set[int]) -> Iterator[Fact]:
    """`shown`: the regions with a name of which a thing is plain."""
    region = next((one for one in scene.regions if _inside(one, walk.poses[step], INSIDE)), None)
    if region is None or region.id not in shown:
        return
    if sum(view[one.id].share for one in scene.objects if one.region == region.id and one.id in view) >= ROOM:
        yield Fact("room", step, (region.id,))


def _inside(region: SemanticRegion, pose: Sequence[float], margin: float = 0.0) -> bool:
    across = all(region.low[i] + margin <= pose[i] <= region.high[i] - margin for i in (0, 2))
    return across and region.low[1] - 0.3 <= pose[1] <= region.high[1] - 1.0


def _passing_facts(walk: Walk, shown: Sequence[Sequence[int]], scene: Scene, thing: SemanticObject) -> Iterator[Fact]:
    """Whether one has come by a thing. `shown`: what was plain in the steps before one saw anything like it."""
    first = next((step for step, plain in enumerate(shown) if thing.id in plain), len(shown))
    far = [_distance(thing, pose) for pose in walk.poses]
    nearest = list(accumulate(far, min))
    for step in range(first, len(shown)):
        ahead = _corners(thing, walk.cameras[step])[:, 2]
        if thing.id in shown[step] and ahead.min() >= AHEAD and far[step] <= nearest[step]:
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


def _distance(thing: SemanticObject, pose: Sequence[float]) -> float:
    """m from a place to a thing's box, on the floor."""
    gaps = [max(abs(pose[i] - thing.center[i]) - thing.size[i] / 2, 0.0) for i in (0, 2)]
    return math.hypot(*gaps)


def _corners(thing: SemanticObject, camera: Any) -> Any:
    """(8, 3) m: where a camera with this (4, 4) pose has the corners of a thing's box."""
    signs = np.array(np.meshgrid(*[(-0.5, 0.5)] * 3)).reshape(3, 8).T
    return (np.array(thing.center) + signs * thing.size - camera[:3, 3]) @ camera[:3, :3]
