"""The three codecs of meshopt compression as numba kernels, written from the public bitstream specification.

Source: Khronos, EXT_meshopt_compression and KHR_meshopt_compression, appendix A: attributes (versions 0 and 1),
triangles, indices. Each kernel fills `out` and returns OK, or a negative code for a stream that is damaged.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nav_eval.jit import inner, kernel

OK = 0
TRUNCATED = -1
LEFTOVER = -2
INVALID = -3

Bytes = NDArray[np.uint8]


@inner()
def _signed(value: Any) -> Any:
    """numba makes floats of unsigned and signed integers that meet; so every byte becomes signed first."""
    return np.int64(value)


@kernel()
def attributes(data: Bytes, count: int, stride: int, version: int, out: Bytes) -> int:
    """Mode 0. `out` is (count, stride); blocks of byte planes, each a run of groups of 16 deltas. data: (B,) bytes."""
    channels = stride // 4
    tail = stride + channels * version
    end = len(data) - max(tail, 24 if version else 32)
    if end < 1:
        return TRUNCATED
    last = data[len(data) - tail : len(data) - tail + stride].copy()
    modes = np.zeros(channels, np.uint8)
    if version:
        modes[:] = data[len(data) - channels :]
    planes = np.zeros((stride, 256), np.uint8)
    block_limit = min((8192 // stride) & ~15, 256)
    position, done = 1, 0
    while done < count:
        block = min(count - done, block_limit)
        header = position
        position += channels * version
        if position > end:
            return TRUNCATED
        for byte in range(stride):
            control = 4
            if version:
                control = (_signed(data[header + (byte >> 2)]) >> ((byte & 3) * 2)) & 3
            position = _plane(data, position, end, control, block, planes[byte])
            if position < 0:
                return TRUNCATED
        for channel in range(channels):
            if not _undo_deltas(planes, block, channel * 4, _signed(modes[channel]), last, out[done : done + block]):
                return INVALID
        done += block
    return OK if position == end else LEFTOVER


@inner()
def _plane(data: Bytes, position: int, end: int, control: int, block: int, plane: Bytes) -> int:
    """Read one byte position of a block; the new position, or a negative code.

    `control`: 0 lengths 0, 1, 2, 4; 1 lengths 1, 2, 4, 8; 2 all zero; 3 literal; 4 (version 0) lengths 0, 2, 4, 8.
    """
    if control == 2:
        plane[:block] = 0
        return position
    if control == 3:
        if position + block > end:
            return TRUNCATED
        plane[:block] = data[position : position + block]
        return position + block
    groups = (block + 15) // 16
    header = position
    position += (groups + 3) // 4
    if position > end:
        return TRUNCATED
    for group in range(groups):
        choice = (_signed(data[header + group // 4]) >> ((group % 4) * 2)) & 3
        bits = 1 << choice if control == 1 else (0 if choice == 0 else 1 << (choice - (1 if control == 0 else 0)))
        position = _group(data, position, end, bits, plane[group * 16 : group * 16 + 16])
        if position < 0:
            return TRUNCATED
    return position


@inner()
def _group(data: Bytes, position: int, end: int, bits: int, out: Bytes) -> int:
    """16 deltas of `bits` bits; a delta of all ones is a sentinel, its byte follows the packed ones."""
    if position + bits * 2 > end:
        return TRUNCATED
    if bits == 0:
        out[:16] = 0
        return position
    if bits == 8:
        out[:16] = data[position : position + 16]
        return position + 16
    sentinel = (1 << bits) - 1
    per_byte = 8 // bits
    extra = position + bits * 2
    for index in range(16):
        slot = index % per_byte
        shift = slot if bits == 1 else 8 - bits * (slot + 1)
        value = (_signed(data[position + index // per_byte]) >> shift) & sentinel
        if value == sentinel:
            if extra >= end:
                return TRUNCATED
            value = _signed(data[extra])
            extra += 1
        out[index] = value
    return extra


@inner()
def _undo_deltas(planes: Bytes, block: int, first: int, mode: int, last: Bytes, out: Bytes) -> bool:
    """Deltas of the four bytes from `first` on to values; `last` carries the previous element along."""
    kind, rotation = mode & 15, mode >> 4
    if kind > 2 or (kind < 2 and rotation):
        return False
    if kind == 0:
        for byte in range(first, first + 4):
            value = _signed(last[byte])
            for row in range(block):
                delta = _signed(planes[byte, row])
                value = (value + ((delta >> 1) ^ -(delta & 1))) & 0xFF
                out[row, byte] = value
            last[byte] = value
    elif kind == 1:
        for byte in range(first, first + 4, 2):
            value = _signed(last[byte]) | _signed(last[byte + 1]) << 8
            for row in range(block):
                delta = _signed(planes[byte, row]) | _signed(planes[byte + 1, row]) << 8
                value = (value + ((delta >> 1) ^ -(delta & 1))) & 0xFFFF
                out[row, byte] = value & 0xFF
                out[row, byte + 1] = value >> 8
            last[byte] = value & 0xFF
            last[byte + 1] = value >> 8
    else:
        value = 0
        for byte in range(4):
            value |= _signed(last[first + byte]) << (8 * byte)
        for row in range(block):
            delta = 0
            for byte in range(4):
                delta |= _signed(planes[first + byte, row]) << (8 * byte)
            value ^= ((delta << rotation) | (delta >> ((32 - rotation) & 31))) & 0xFFFFFFFF
            for byte in range(4):
                out[row, first + byte] = (value >> (8 * byte)) & 0xFF
        for byte in range(4):
            last[first + byte] = (value >> (8 * byte)) & 0xFF
    return True


@inner()
def _varint(data: Bytes, state: NDArray[np.int64], end: int) -> int:
    """An unsigned LEB128 number of at most five bytes at state[0], which moves on; negative past the end."""
    value, shift = 0, 0
    for _ in range(5):
        if state[0] >= end:
            return TRUNCATED
        byte: int = _signed(data[state[0]])
        state[0] += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value & 0xFFFFFFFF
    return INVALID


@inner()
def _explicit(data: Bytes, state: NDArray[np.int64], end: int) -> int:
    """An index stored as a zigzag difference from the last such one, state[2]."""
    value = _varint(data, state, end)
    if value < 0:
        return value
    state[2] = (state[2] + ((value >> 1) ^ -(value & 1))) & 0xFFFFFFFF
    last: int = state[2]
    return last


@inner()
def _pick(data: Bytes, state: NDArray[np.int64], end: int, nibble: int, vertices: NDArray[np.int64]) -> int:
    """An index by its nibble: 0 the next new one, 1 to 14 from the vertex FIFO, 15 explicit."""
    if nibble == 0:
        state[1] += 1
        new: int = state[1] - 1
        return new
    if nibble == 15:
        return _explicit(data, state, end)
    known: int = vertices[(state[4] - nibble) & 15]
    return known


@kernel()
def triangles(data: Bytes, count: int, out: NDArray[np.uint32]) -> int:
    """Mode 1. A code byte per triangle, built on FIFOs of the latest 16 edges and vertices.

    `state`: 0 position in the extra data, 1 next new vertex, 2 last explicit index, 3 edges and 4 vertices pushed.
    A FIFO entry that was never written gives an index that no mesh has.

    data (B,) bytes, out (N,) for `count` = N indices.
    """
    faces = count // 3
    end = len(data) - 16
    if 1 + faces > end:
        return TRUNCATED
    state = np.zeros(5, np.int64)
    state[0] = 1 + faces
    edges = np.full((16, 2), 0xFFFFFFFF, np.int64)
    vertices = np.full(16, 0xFFFFFFFF, np.int64)
    for face in range(faces):
        code = _signed(data[1 + face])
        high, low = code >> 4, code & 15
        if high < 15:
            a, b = edges[(state[3] - 1 - high) & 15]
            push_c = low == 0 or low >= 13
            if low < 13:
                c = state[1] if low == 0 else vertices[(state[4] - 1 - low) & 15]
                state[1] += low == 0
            elif low < 15:
                c = (state[2] + (-1 if low == 13 else 1)) & 0xFFFFFFFF
                state[2] = c
            else:
                c = _explicit(data, state, end)
            if c < 0:
                return TRUNCATED
        else:
            if low < 14:
                pair = _signed(data[end + low])
                first = 0
            else:
                if state[0] >= end:
                    return TRUNCATED
                pair = _signed(data[state[0]])
                state[0] += 1
                if pair == 0:
                    state[1] = 0
                first = 0 if low == 14 else 15
            a = _pick(data, state, end, first, vertices)
            b = _pick(data, state, end, pair >> 4, vertices)
            c = _pick(data, state, end, pair & 15, vertices)
            if a < 0 or b < 0 or c < 0:
                return TRUNCATED
            edges[state[3] & 15, 0], edges[state[3] & 15, 1] = b, a
            state[3] += 1
            vertices[state[4] & 15] = a
            state[4] += 1
            if pair >> 4 in (0, 15):
                vertices[state[4] & 15] = b
                state[4] += 1
            push_c = pair & 15 in (0, 15)
        edges[state[3] & 15, 0], edges[state[3] & 15, 1] = c, b
        edges[(state[3] + 1) & 15, 0], edges[(state[3] + 1) & 15, 1] = a, c
        state[3] += 2
        if push_c:
            vertices[state[4] & 15] = c
            state[4] += 1
        out[face * 3], out[face * 3 + 1], out[face * 3 + 2] = a, b, c
    return OK if state[0] == end else LEFTOVER


@kernel()
def indices(data: Bytes, count: int, out: NDArray[np.uint32]) -> int:
    """Mode 2. Zigzag differences from one of two baselines, chosen by the lowest bit. data (B,) bytes, out (N,)."""
    end = len(data) - 4
    state = np.zeros(5, np.int64)
    state[0] = 1
    baselines = np.zeros(2, np.int64)
    for index in range(count):
        value = _varint(data, state, end)
        if value < 0:
            return TRUNCATED
        which = value & 1
        value >>= 1
        baselines[which] = (baselines[which] + ((value >> 1) ^ -(value & 1))) & 0xFFFFFFFF
        out[index] = baselines[which]
    return OK if state[0] == end else LEFTOVER
