"""A frame from its camera to its images, by one thread or by several that share it.

A thread draws its strips of rows, then what others have not begun of theirs. Colours and depths are computed in bands,
of which each thread takes those of the strips that it drew, then what others have left of theirs. No pixel depends on
how many threads there are: visibility in a strip is its own, and a triangle's planes are anchored at the first pixel of
the frame that shows it, which is looked for in the rows above once these are drawn.
"""

from __future__ import annotations

import numpy as np

from nav_eval.engine.render.atomics import core, look, post, sleep, step_aside, take
from nav_eval.engine.render.attributes import read_depth_rows
from nav_eval.engine.render.cull import sort_front_to_back, visible_clusters
from nav_eval.engine.render.handles import opened, shared
from nav_eval.engine.render.helpers import APART
from nav_eval.engine.render.layout import F32, F64, I32, I64, TILE, U8, U32, Assets, Camera, Scalar, Workspace
from nav_eval.engine.render.raster import draw
from nav_eval.engine.render.shade import forget, shade
from nav_eval.jit import inner, kernel

CULLED, DONE, CORE, TAKEN, DRAWN, BAND = 0, 1, 2, 3, 4, 5
"""Places in `turns`: how many clusters may show, plus one; how many bands are finished; the first thread's core; for
each strip (the latter three, EACH places on) how many wanted to draw it, who has drawn it (0: nobody yet) and its next
band."""
EACH = 3
FIRST, PARTS = 1, 2
"""The first thread's number; strips for each of several threads: of two halves the lower often takes far longer, and
each strip more costs a twentieth of the drawing."""
PATIENCE, PAUSE_MICROSECONDS = 200, 50
"""How often a thread looks for what it waits for before it sleeps between two looks."""


@kernel(_nrt=False)
def work_on(
    pose: F64,
    projection: F64,
    scene: I64,
    own: I64,
    frame: I64,
    ids: I32,
    headlight: bool,
    beyond: U32,
    side: int,
    who: int,
    rows: int,
    band: int,
    turns: I64,
    rgb: U8,
    depth: F32,
) -> int:
    """One thread's share of a frame in strips of `rows` and bands of `band` rows; returns when there is none left.

    What it returns: the core that it began on, if the first thread was there too, else APART.

    `who`: the thread's number, from 1 on. The first culls, and returns when all is done. Fills work.inverse_depth and
    work.ids, rgb (H * W * 3,) and depth (H, W); either image may have no pixel at all. `pose`, `projection`: of the
    Camera, its first field and the others. `scene`, `own` and `frame`: handles of the Assets, and of the Workspaces of
    this thread and of the first. `beyond` and `side`: the sky, as in `shade`.
    """
    camera = Camera(pose, projection[0], int(projection[1]), int(projection[2]), int(projection[3]))
    assets = opened(scene, Assets)
    work = shared(opened(own, Workspace), opened(frame, Workspace), ids)
    if who == FIRST:
        count = visible_clusters(camera, assets.clusters, work)
        sort_front_to_back(count, work)
        turns[CORE] = core()
        post(turns, CULLED, count + 1)
    await_at_least(turns, CULLED, 1)
    met = core() if who != FIRST and core() == turns[CORE] else APART
    strips = (camera.height + rows - 1) // rows
    draw_strips(camera, assets, who, rows, strips, work, turns)
    used, ready = 0, 0
    while ready < strips:
        await_at_least(turns, DRAWN + EACH * ready, 1)
        ready = drawn_from_top(strips, turns)
        for own_turn in (True, False):
            for strip in range(ready):
                if (look(turns, DRAWN + EACH * strip) == who) == own_turn:
                    used = color_bands(
                        camera, assets, headlight, beyond, side, strip, rows, band, used, work, turns, rgb, depth
                    )
    forget(used, work)
    if who == FIRST:
        bands = (rows + band - 1) // band
        after = camera.height - (strips - 1) * rows
        await_at_least(turns, DONE, (strips - 1) * bands + (after + band - 1) // band)
    return met


@inner(_nrt=False)
def draw_strips(
    camera: Camera, assets: Assets, who: Scalar, rows: Scalar, strips: Scalar, work: Workspace, turns: I64
) -> None:
    """Draw strips until all are taken, from this thread's own on. turns: (K,)."""
    count = look(turns, CULLED) - 1
    for k in range(strips):
        strip = (PARTS * (who - FIRST) + k) % strips
        if look(turns, TAKEN + EACH * strip) == 0 and take(turns, TAKEN + EACH * strip) == 0:
            draw(camera, assets, count, strip * rows, min((strip + 1) * rows, camera.height), work)
            post(turns, DRAWN + EACH * strip, who)


@inner(_nrt=False)
def drawn_from_top(strips: Scalar, turns: I64) -> Scalar:
    """How many strips are drawn above the first that is not: only these can be coloured. turns: (K,)."""
    ready = 0
    while ready < strips and look(turns, DRAWN + EACH * ready) > 0:
        ready += 1
    return ready


@inner(_nrt=False)
def color_bands(
    camera: Camera,
    assets: Assets,
    headlight: Scalar,
    beyond: U32,
    side: Scalar,
    strip: Scalar,
    rows: Scalar,
    band: Scalar,
    used: Scalar,
    work: Workspace,
    turns: I64,
    rgb: U8,
    depth: F32,
) -> Scalar:
    """Fill bands of a strip until all are taken; `used`, `beyond` and `side` as in `shade`.

    turns (K,), rgb (H * W * 3,), depth (H, W), metres; one of length 0 is not filled.
    """
    begin, end = strip * rows, min((strip + 1) * rows, camera.height)
    top = begin + take(turns, BAND + EACH * strip) * band
    while top < end:
        bottom = min(top + band, end)
        if rgb.shape[0]:
            used = shade(camera, assets, headlight, beyond, side, top, bottom, used, work, rgb)
            work.colored[top // TILE : (bottom + TILE - 1) // TILE] = np.uint8(1)
        if depth.shape[0]:
            read_depth_rows(camera, work.inverse_depth, top, bottom, depth)
        take(turns, DONE)
        top = begin + take(turns, BAND + EACH * strip) * band
    return used


@inner(_nrt=False)
def await_at_least(turns: I64, place: Scalar, value: Scalar) -> None:
    """Return when turns[place] has come to `value`; a thread that lets others wait for long has lost its core.

    turns: (K,).
    """
    tries = 0
    while look(turns, place) < value:
        tries += 1
        if tries < PATIENCE:
            step_aside()
        else:
            sleep(np.uint32(PAUSE_MICROSECONDS))
