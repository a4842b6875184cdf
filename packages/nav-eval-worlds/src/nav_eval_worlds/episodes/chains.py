"""Episodes of several goals, one after the other, as MultiON and GOAT-Bench write them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any, TypeAlias

from nav_eval.engine.scene.scene import SemanticObject
from nav_eval.geometry import Vec3
from nav_eval_worlds.episodes.controls import CONTROLS, Controls
from nav_eval_worlds.episodes.records import Record, apart, frame, turn
from nav_eval_worlds.episodes.searches import Sought, goal_record, in_sight, photo_records
from nav_eval_worlds.episodes.site import Site
from nav_eval_worlds.exact import Stream
from nav_eval_worlds.language import nouns
from nav_eval_worlds.language.sights import names_in, noun, things_called
from nav_eval_worlds.language.wording import Wording

_IN_A_ROW, _SUB_TASKS = 3, 5
"""Goals of an episode: MultiON's 3, GOAT-Bench's least."""
_POOL = 12
"""Names that the goals of a building's episodes are drawn from: each of their things is looked at from all sides."""
_VIEWS = 24
"""View points of a goal, at most: the shortest way past all goals is sought through each of them."""
Chain: TypeAlias = list[tuple[Any, list[Sought]]]
"""Of each goal in order what an episode tells of it, and the things of which any will do."""


def multi_records(site: Site, count: int, seed: str, controls: Controls | None = None) -> list[Record]:
    """Episodes of three things, each the only one of its name in the building."""
    stream = Stream("chains", site.scene_id, seed)
    called = sorted(things_called(site.rooms, "en").items(), reverse=True)
    once = {things[0].id: name for name, things in called if len(things) == 1}  # of its names one, the first
    alone = {name: [site.rooms.things[one]] for one, name in once.items()}
    sought = in_sight(site, _draw_names(alone, stream), _VIEWS)

    def draw() -> Chain:
        names = stream.shuffled(sorted(sought))[:_IN_A_ROW]
        return [(goal_record(sought[name][0], name), sought[name]) for name in names]

    chains = _chains(site, count, stream, draw, _IN_A_ROW, controls or CONTROLS["multi_objectnav"])
    return [record | {"goals": told} for record, told in chains]


def goat_records(site: Site, count: int, seed: str, controls: Controls | None = None) -> tuple[list[Record], Record]:
    """Episodes of five sub-tasks, told by category, photograph or description, and the table of their things."""
    stream = Stream("goat", site.scene_id, seed)
    sought = in_sight(site, _draw_names(things_called(site.rooms, "en"), stream))
    rooms = frozenset(names_in(site.rooms, "en")[1])
    table = {name: [_goal_record(site, one, name, rooms, stream) for one in found] for name, found in sought.items()}

    def draw() -> Chain:
        names = stream.shuffled(sorted(sought))[:_SUB_TASKS]
        return [_sub_task(name, sought[name], table[name], stream) for name in names]

    scene = site.scene_id.rsplit("/", 1)[-1]
    chains = _chains(site, count, stream, draw, _SUB_TASKS, controls or CONTROLS["goat"])
    episodes = [record | {"tasks": told} for record, told in chains]
    return episodes, {f"{scene}_{name}": rows for name, rows in table.items()}


def _draw_names(called: Mapping[str, list[SemanticObject]], stream: Stream) -> dict[str, list[SemanticObject]]:
    return {name: called[name] for name in stream.shuffled(sorted(called))[:_POOL]}


def _chains(
    site: Site, count: int, stream: Stream, draw: Callable[[], Chain], size: int, controls: Controls
) -> Iterator[tuple[Record, list[Any]]]:
    """An episode's frame, and what is told of each of its goals."""
    made: list[Record] = []
    rooms = sorted(site.rooms.rooms)
    for _ in range(count * 60):
        if len(made) == count:
            break
        chain, start = draw(), site.draw_point(stream.choice(rooms), stream)
        if start is None or len(chain) < size or not apart(start, None, made, controls):
            continue
        length = _length(site, start, [sought for _, sought in chain], controls)
        if math.isfinite(length):
            made.append(frame(site, len(made), start, turn(stream), {"geodesic_distance": length}))
            yield made[-1], [told for told, _ in chain]


def _length(site: Site, start: Vec3, stations: Sequence[list[Sought]], controls: Controls) -> float:
    """Of a way from each goal to the nearest place of the next, m; infinite where one is not as far as asked."""
    here, length = start, 0.0
    for station in stations:
        places = [view.position for one in station for view in one.views]
        best, geodesic = site.nearest(here, places)
        if not controls.allow(here, places[best], geodesic):
            return math.inf
        here, length = places[best], length + geodesic
    return length


def _goal_record(site: Site, sought: Sought, name: str, rooms: Set[int], stream: Stream) -> Record:
    """A thing of the table: with photographs, and a description where rooms of that name have no other of its kind.

    `rooms`: those that have a name.
    """
    thing, room = site.rooms.things[sought.id], site.rooms.rooms[sought.region].category
    record = goal_record(sought, name) | {"image_goals": photo_records(site, thing, stream)}
    alike = [other for other in site.rooms.things.values() if other.category == thing.category]
    there = [other for other in alike if site.rooms.rooms[other.region].category == room]
    if sought.region in rooms and there == [thing]:
        record["lang_desc"] = _description(site, thing, room, stream.child("words", thing.id))
    return record


def _description(site: Site, thing: SemanticObject, room: str, stream: Stream) -> str:
    """What it is, how it looks, in which room it is, and what is beside it."""
    wording, told = Wording("en", "guide", stream), noun(site, thing, placed=True)
    where = nouns.place(wording, told)
    rule = "described_placed" if where else "described"
    words = wording.say(rule, thing=nouns.noun(wording, told), room=wording.word("rooms", room), where=where)
    return wording.finished(words)


def _sub_task(name: str, sought: list[Sought], table: list[Record], stream: Stream) -> tuple[list[Any], list[Sought]]:
    """What is told, and what counts: any thing of the name, or the very one that is shown or described."""
    shown = [(one, row) for one, row in zip(sought, table, strict=True) if row["image_goals"]]
    described = [(one, row) for one, row in zip(sought, table, strict=True) if "lang_desc" in row]
    kind = stream.choice(("object", *(["image"] if shown else ()), *(["description"] if described else ())))
    if kind == "object":
        return [name, kind, None], sought
    one, row = stream.choice(shown if kind == "image" else described)
    number = [stream.below(len(row["image_goals"]))] if kind == "image" else []
    return [name, kind, one.id, *number], [one]
