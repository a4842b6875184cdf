"""How kernels reach a navmesh: by the address of a table of addresses.

Numba unpacks one integer in 20 ns and twenty arrays in microseconds, more than most queries take, so a kernel gets
two integers: `mesh`, the table of a Layout's arrays (read only), and `scratch`, the table of one thread's working
memory. The accessors below turn them into arrays without cost. The tables' owner keeps the arrays alive and must
outlive the call. Scratch is never cleared: a mark equal to the current generation means "set by this query".
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.numpy_support import from_dtype

from nav_eval.engine.navmesh.layout import Layout

MAX_NODES = 2048
MAX_POLYS = 256
MAX_WALK_NODES = 64

Array = npt.NDArray[Any]

FIELDS = tuple(f for f in fields(Layout) if f.name != "states")
NAMES = [f.name for f in FIELDS]
TABLE_SIZE = 2 * len(FIELDS) + 1
ROW_SHAPES = {
    "corners": (6, 3),
    "edges": (6,),
    "box": (6,),
    "flat_box": (6,),
    "link_span": (2,),
    "portal": (2, 3),
    "middle": (3,),
    "triangles": (3, 3),
    "rims": (2, 3),
    "seams": (2, 3),
    "tree": (7,),
    "tile_place": (6,),
    "tile_size": (8,),
}
MARKS, NODE_MARK, NODE_POS, NODE_COST, NODE_STATE, HEAP, CORRIDOR, PATH, WALK_MARK, WALK_NODE, GOAL, GOAL_POLY = range(
    12
)
SCRATCH_SIZE = 14
LONG: Any = ir.IntType(64)
index: Any = np.int64
"""A polygon's or a node's number on its way into a kernel: of one width, or the kernel is compiled for each."""


class MeshTable:
    """A layout's arrays and the table of their addresses and lengths; `address` is what kernels take."""

    def __init__(self, layout: Layout) -> None:
        self._arrays = [np.ascontiguousarray(getattr(layout, name)) for name in NAMES]
        entries = [x for a in self._arrays for x in (a.ctypes.data, len(a))]
        self._table = np.array([*entries, layout.states], np.int64)
        self.address = int(self._table.ctypes.data)


class Scratch(threading.local):
    """Working memory of the calling thread for meshes of a given size; `address` is what kernels take."""

    def __init__(self, polys: int, states: int) -> None:
        nodes = max(polys * states, 1)
        self._arrays = [
            np.zeros(4, np.int32),  # generations: search, walk
            np.zeros(nodes, np.int32),  # node mark
            np.zeros((nodes, 3), np.float32),  # node position
            np.zeros((nodes, 2), np.float32),  # node cost, total
            np.zeros((nodes, 2), np.int32),  # node parent, flags
            np.zeros(MAX_NODES + 1, np.int32),  # heap
            np.zeros(MAX_POLYS, np.int32),  # corridor
            np.zeros((MAX_POLYS, 3), np.float32),  # corners of the path
            np.zeros((max(polys, 1), 2), np.int32),  # walk mark, walk node of a polygon
            np.zeros((MAX_WALK_NODES, 3), np.int32),  # walk node: polygon, seen; and the queue of walk nodes
            np.full(8, np.nan, np.float32),  # kept goal: as asked x, y, z, as snapped x, y, z
            np.full(2, -1, np.int32),  # kept goal: polygon
        ]
        self._table = np.array([a.ctypes.data for a in self._arrays] + [nodes, max(polys, 1)], np.int64)
        self.address = int(self._table.ctypes.data)
        self.path: npt.NDArray[np.float32] = np.asarray(self._arrays[PATH])


def _entry(builder: Any, table: Any, slot: int) -> Any:
    """The number at `slot` of a table of which only the address is known."""
    return builder.load(builder.gep(builder.inttoptr(table, LONG.as_pointer()), [LONG(slot)]))


def _accessor(slot: int, dtype: type[np.generic], row: tuple[int, ...], rows: Callable[[Any, Any], Any]) -> Any:
    """A numba intrinsic (table address) -> array over the memory that `slot` names; nothing is compiled for it alone.

    `row`: the shape of an element; `rows` makes the number of elements, given the builder and the table.
    """
    kind: Any = types.Array(from_dtype(np.dtype(dtype)), 1 + len(row), "C")
    size = np.dtype(dtype).itemsize
    strides = [size * math.prod(row[k:]) for k in range(len(row) + 1)]

    def view(typingctx: Any, table: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            from numba.np import arrayobj  # which takes 0.02 s to import

            populate: Any = arrayobj.populate_array
            array = context.make_array(kind)(context, builder)
            populate(
                array,
                data=builder.inttoptr(_entry(builder, arguments[0], slot), array.data.type),
                shape=[rows(builder, arguments[0]), *map(LONG, row)],
                strides=[LONG(stride) for stride in strides],
                itemsize=LONG(size),
                meminfo=None,
            )
            return array._getvalue()

        return kind(types.int64), generate

    return intrinsic(view)


def _mesh_array(name: str) -> Callable[[int], Array]:
    slot = NAMES.index(name)
    dtype = np.float32 if FIELDS[slot].type == "Floats" else np.int32
    accessor: Callable[[int], Array] = _accessor(
        2 * slot, dtype, ROW_SHAPES.get(name, ()), lambda builder, table: _entry(builder, table, 2 * slot + 1)
    )
    return accessor


def _scratch_array(slot: int, shape: tuple[int, ...], dtype: type[np.generic]) -> Callable[[int], Array]:
    """A view of one scratch array; a first length of 0 stands for the number of nodes, -1 for that of polygons."""
    length, row = shape[0], shape[1:]

    def rows(builder: Any, table: Any) -> Any:
        return LONG(length) if length > 0 else _entry(builder, table, SCRATCH_SIZE - 2 - length)

    accessor: Callable[[int], Array] = _accessor(slot, dtype, row, rows)
    return accessor


def _number(slot: int) -> Callable[[int], int]:
    def view(typingctx: Any, table: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return _entry(builder, arguments[0], slot)

        return types.int64(types.int64), generate

    accessor: Any = intrinsic(view)
    return accessor  # type: ignore[no-any-return]


states_per_polygon = _number(TABLE_SIZE - 1)


corners = _mesh_array("corners")
counts = _mesh_array("counts")
walkable = _mesh_array("walkable")
island = _mesh_array("island")
edges = _mesh_array("edges")
box = _mesh_array("box")
flat_box = _mesh_array("flat_box")
link_start = _mesh_array("link_start")
link_to = _mesh_array("link_to")
link_node = _mesh_array("link_node")
link_edge = _mesh_array("link_edge")
link_side = _mesh_array("link_side")
link_span = _mesh_array("link_span")
portal = _mesh_array("portal")
middle = _mesh_array("middle")
triangle_start = _mesh_array("triangle_start")
triangles = _mesh_array("triangles")
rim_start = _mesh_array("rim_start")
rims = _mesh_array("rims")
seam_start = _mesh_array("seam_start")
seams = _mesh_array("seams")
tree = _mesh_array("tree")
cell_start = _mesh_array("cell_start")
cell_polygons = _mesh_array("cell_polygons")
cell_grid = _mesh_array("cell_grid")
tile_place = _mesh_array("tile_place")
tile_size = _mesh_array("tile_size")
grid = _mesh_array("grid")

marks = _scratch_array(MARKS, (4,), np.int32)
node_mark = _scratch_array(NODE_MARK, (0,), np.int32)
node_position = _scratch_array(NODE_POS, (0, 3), np.float32)
node_cost = _scratch_array(NODE_COST, (0, 2), np.float32)
node_state = _scratch_array(NODE_STATE, (0, 2), np.int32)
heap = _scratch_array(HEAP, (MAX_NODES + 1,), np.int32)
corridor = _scratch_array(CORRIDOR, (MAX_POLYS,), np.int32)
path = _scratch_array(PATH, (MAX_POLYS, 3), np.float32)
walk_mark = _scratch_array(WALK_MARK, (-1, 2), np.int32)
walk_node = _scratch_array(WALK_NODE, (MAX_WALK_NODES, 3), np.int32)
kept_goal = _scratch_array(GOAL, (8,), np.float32)
kept_goal_polygon = _scratch_array(GOAL_POLY, (2,), np.int32)
