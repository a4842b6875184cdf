"""The passes over a row of pixels: from texel indices and weights to blended bytes.

All row arrays lie in one buffer at constant distances, so that the compiler sees that they do not overlap and
makes vector code. Two 8-bit channels are mixed in one 32-bit multiplication, rounded at each step.
Numba widens uint32 arithmetic to 64 bits; the cast `u32` after each step keeps it narrow.
"""

from __future__ import annotations

import numpy as np

from nav_eval.engine.render.instructions import FETCHED, fetch
from nav_eval.engine.render.layout import PITCH, U8, U32, Scalar
from nav_eval.jit import inner

NEAR_TEXEL, FAR_TEXEL, FRACTIONS, WEIGHT, TAPS, COLOR = (np.uint64(k * PITCH) for k in (0, 1, 2, 3, 4, 12))
LIGHT = np.uint64(8 * PITCH)
"""Where the row arrays begin: texel index of the finer and the coarser level, four 8-bit fractions, weight of the
coarser level (8 bits) and above it the column where the pixel's run begins, the eight texels, the blended colour; when
it is known, the light of red, green and blue in place of the last texels."""
RUN_W, RUN_U, RUN_V, MIDDLE, FIRST, LENGTH, WIDE, HIGH, LEVEL, MATERIAL, SLOT = (
    np.uint64(k * PITCH) for k in (13, 16, 19, 22, 23, 24, 25, 26, 27, 28, 29)
)
"""And those with an entry for each run of pixels: 1/z, u/z and v/z at its first pixel, each as value, step in x and
step in y; the pixel, counted from one left of its first, that tells the level of detail; its first pixel in the row
and its length; size of the texture; last level, then the level found; material; row of
`planes`. Real numbers are kept as bits."""
LIT_FIRST, LIT_AFTER, LIT_SLOT, LIT_MATERIAL = (np.uint64(k * PITCH) for k in (30, 31, 32, 33))
"""Of each run of a chunk whose colours are multiplied: first pixel, the one after the last, row of `planes`, material.
"""
BLOCK = 16
"""Pixels or runs that are handled at once: a vector of AVX-512, two of AVX2."""
LANES = 8
"""Pixels that are located at once."""
STEP, BELOW = np.uint64(PITCH), np.uint64(17)
"""To the next row array; to the texel below."""
PAIR, HALVES = np.uint32(0x00FF00FF), np.uint32(0x00800080)
LOW, FIFTEEN, LOW_HALF, ONE = np.uint32(255), np.uint32(15), np.uint32(0xFFFF), np.uint32(32768)
SEVEN, EIGHT, TWELVE, SIXTEEN, TWENTY_FOUR = (np.uint32(k) for k in (7, 8, 12, 16, 24))
u32 = np.uint32


@inner(_nrt=False, forceinline=True)
def solid(row: U32, x: Scalar, n: Scalar, color: Scalar) -> None:
    """A run of one colour. row: (ROW_ARRAYS * PITCH,)."""
    for i in range(x, x + n):
        row[np.uint64(i) + COLOR] = color


@inner(_nrt=False)
def sampled(begin: Scalar, end: Scalar, blended: Scalar, texels: U32, row: U32) -> None:
    """Colours of the pixels from begin to end, rounded up to whole blocks; `blended`: bits of those of two levels.

    All texels are gathered before any is blended: a vector that is read right after its parts were written waits.

    texels (K,), row (ROW_ARRAYS * PITCH,).
    """
    two = blended
    for start in range(begin, end, BLOCK):
        if two & 1:
            gather(texels, start, start + BLOCK, row)
        else:
            gather_near(texels, start, start + BLOCK, row)
        two >>= 1
    two = blended
    for start in range(begin, end, BLOCK):
        if two & 1:
            blend(start, start + BLOCK, row)
        else:
            blend_near(start, start + BLOCK, row)
        two >>= 1


@inner(_nrt=False, forceinline=True)
def bits(value: Scalar) -> Scalar:
    """A float32 as it stands in a row array."""
    return np.float32(value).view(np.uint32)


@inner(_nrt=False, forceinline=True)
def real(value: Scalar) -> Scalar:
    """The float32 of `bits`."""
    return np.uint32(value).view(np.float32)


@inner(_nrt=False, forceinline=True)
def put(
    row: U32,
    i: Scalar,
    s: Scalar,
    t: Scalar,
    wide: Scalar,
    high: Scalar,
    base: Scalar,
    across: Scalar,
    wide2: Scalar,
    high2: Scalar,
    base2: Scalar,
    across2: Scalar,
) -> None:
    """Texel indices and fractions of one pixel; s, t in [0, 1], sizes in 1/256 texel. row: (ROW_ARRAYS * PITCH,)."""
    at = np.uint64(i)
    c = np.uint32(np.int32(s * wide + np.float32(128.5)))
    r = np.uint32(np.int32(t * high + np.float32(128.5)))
    row[at + NEAR_TEXEL] = tiled(c, r, base, across)
    c2 = np.uint32(np.int32(s * wide2 + np.float32(128.5)))
    r2 = np.uint32(np.int32(t * high2 + np.float32(128.5)))
    row[at + FAR_TEXEL] = tiled(c2, r2, base2, across2)
    near = (c & LOW) | u32((r & LOW) << EIGHT)
    row[at + FRACTIONS] = near | u32((c2 & LOW) << SIXTEEN) | u32((r2 & LOW) << TWENTY_FOUR)


@inner(_nrt=False, forceinline=True)
def put_near(
    row: U32, i: Scalar, s: Scalar, t: Scalar, wide: Scalar, high: Scalar, base: Scalar, across: Scalar
) -> None:
    """`put` of a pixel that needs one level only. row: (ROW_ARRAYS * PITCH,)."""
    at = np.uint64(i)
    c = np.uint32(np.int32(s * wide + np.float32(128.5)))
    r = np.uint32(np.int32(t * high + np.float32(128.5)))
    row[at + NEAR_TEXEL] = tiled(c, r, base, across)
    row[at + FRACTIONS] = (c & LOW) | u32((r & LOW) << EIGHT)


@inner(_nrt=False, forceinline=True)
def tiled(c: Scalar, r: Scalar, base: Scalar, across: Scalar) -> Scalar:
    """Index of the texel at column c and row r, both in 1/256, of a level that starts at `base`."""
    tile = u32(u32(u32(r >> TWELVE) * across) + (c >> TWELVE))
    inside = u32(u32(((r >> EIGHT) & FIFTEEN) * np.uint32(17)) + ((c >> EIGHT) & FIFTEEN))
    return u32(u32(base + u32(tile * np.uint32(289))) + inside)


@inner(_nrt=False, forceinline=True)
def gather_near(texels: U32, begin: Scalar, end: Scalar, row: U32) -> None:
    """Load the four texels of one level, rounded up to FETCHED pixels. texels (K,), row (ROW_ARRAYS * PITCH,)."""
    for start in range(begin, end, FETCHED):
        k = np.uint64(start)
        fetch(texels, row, k + NEAR_TEXEL, k + TAPS, STEP, BELOW)


@inner(_nrt=False, forceinline=True)
def gather(texels: U32, begin: Scalar, end: Scalar, row: U32) -> None:
    """Load the four texels of both levels, rounded up to FETCHED pixels. texels (K,), row (ROW_ARRAYS * PITCH,)."""
    for start in range(begin, end, FETCHED):
        k = np.uint64(start)
        fetch(texels, row, k + NEAR_TEXEL, k + TAPS, STEP, BELOW)
        fetch(texels, row, k + FAR_TEXEL, k + TAPS + np.uint64(4) * STEP, STEP, BELOW)


@inner(_nrt=False, forceinline=True)
def blend_near(begin: Scalar, end: Scalar, row: U32) -> None:
    """Bilinear in one level. row: (ROW_ARRAYS * PITCH,)."""
    for i in range(begin, end):
        k = np.uint64(i)
        fractions = row[k + FRACTIONS]
        x, y = fractions & LOW, u32(fractions >> EIGHT) & LOW
        a, b = row[k + TAPS], row[k + TAPS + STEP]
        c, d = row[k + TAPS + np.uint64(2) * STEP], row[k + TAPS + np.uint64(3) * STEP]
        even = bilinear(a & PAIR, b & PAIR, c & PAIR, d & PAIR, x, y)
        odd = bilinear(upper(a), upper(b), upper(c), upper(d), x, y)
        row[k + COLOR] = even | u32(odd << EIGHT)


@inner(_nrt=False, forceinline=True)
def blend(begin: Scalar, end: Scalar, row: U32) -> None:
    """Bilinear in both levels, then linear between them. row: (ROW_ARRAYS * PITCH,)."""
    for i in range(begin, end):
        k = np.uint64(i)
        fractions = row[k + FRACTIONS]
        x, y = fractions & LOW, u32(fractions >> EIGHT) & LOW
        x2, y2 = u32(fractions >> SIXTEEN) & LOW, u32(fractions >> TWENTY_FOUR)
        weight = row[k + WEIGHT] & LOW
        a, b = row[k + TAPS], row[k + TAPS + STEP]
        c, d = row[k + TAPS + np.uint64(2) * STEP], row[k + TAPS + np.uint64(3) * STEP]
        e, f = row[k + TAPS + np.uint64(4) * STEP], row[k + TAPS + np.uint64(5) * STEP]
        g, h = row[k + TAPS + np.uint64(6) * STEP], row[k + TAPS + np.uint64(7) * STEP]
        even = mix(
            bilinear(a & PAIR, b & PAIR, c & PAIR, d & PAIR, x, y),
            bilinear(e & PAIR, f & PAIR, g & PAIR, h & PAIR, x2, y2),
            weight,
        )
        odd = mix(
            bilinear(upper(a), upper(b), upper(c), upper(d), x, y),
            bilinear(upper(e), upper(f), upper(g), upper(h), x2, y2),
            weight,
        )
        row[k + COLOR] = even | u32(odd << EIGHT)


@inner(_nrt=False)
def gather_light(begin: Scalar, end: Scalar, texels: U32, row: U32) -> None:
    """Light of the pixels from begin to end, rounded up to LANES, from texels of which 128 is 1.

    It keeps 8 binary places between texels, else smooth walls would show steps.

    texels (K,), row (ROW_ARRAYS * PITCH,).
    """
    gather_near(texels, begin, end, row)
    for start in range(begin, end, LANES):
        for i in range(start, start + LANES):
            k = np.uint64(i)
            fractions = row[k + FRACTIONS]
            x, y = fractions & LOW, u32(fractions >> EIGHT) & LOW
            a, b = row[k + TAPS], row[k + TAPS + STEP]
            c, d = row[k + TAPS + np.uint64(2) * STEP], row[k + TAPS + np.uint64(3) * STEP]
            even = weighed(a & PAIR, b & PAIR, c & PAIR, d & PAIR, x, y)
            odd = weighed(upper(a), upper(b), upper(c), upper(d), x, y)
            put_light(k, even & LOW_HALF, odd & LOW_HALF, u32(even >> SIXTEEN), row)


@inner(_nrt=False, forceinline=True)
def unlit(begin: Scalar, end: Scalar, row: U32) -> None:
    """A light of 1, which changes no colour. row: (ROW_ARRAYS * PITCH,)."""
    for i in range(begin, end):
        put_light(np.uint64(i), ONE, ONE, ONE, row)


@inner(_nrt=False, forceinline=True)
def put_light(k: Scalar, red: Scalar, green: Scalar, blue: Scalar, row: U32) -> None:
    """Write the light of pixel k. row: (ROW_ARRAYS * PITCH,)."""
    row[k + LIGHT], row[k + LIGHT + STEP], row[k + LIGHT + np.uint64(2) * STEP] = red, green, blue


@inner(_nrt=False)
def lighten(count: Scalar, row: U32) -> None:
    """Multiply the colours of a chunk with its light. row: (ROW_ARRAYS * PITCH,)."""
    for start in range(0, count, BLOCK):
        for i in range(start, start + BLOCK):
            k = np.uint64(i)
            color = row[k + COLOR]
            red = lit(color & LOW, row[k + LIGHT])
            green = lit(u32(color >> EIGHT) & LOW, row[k + LIGHT + STEP])
            blue = lit(u32(color >> SIXTEEN) & LOW, row[k + LIGHT + np.uint64(2) * STEP])
            row[k + COLOR] = red | u32(green << EIGHT) | u32(blue << SIXTEEN)


@inner(_nrt=False, forceinline=True)
def lit(color: Scalar, light: Scalar) -> Scalar:
    """A byte times a light in 1/32768, at most 255."""
    value = u32(u32(u32(color * light) + np.uint32(16384)) >> FIFTEEN)
    return value if value < LOW else LOW


@inner(_nrt=False, forceinline=True)
def upper(color: Scalar) -> Scalar:
    """Channels 1 and 3."""
    return u32(color >> EIGHT) & PAIR


@inner(_nrt=False, forceinline=True)
def bilinear(a: Scalar, b: Scalar, c: Scalar, d: Scalar, x: Scalar, y: Scalar) -> Scalar:
    """Two channels of four texels, 16 bits apart; x, y: fractions out of 256."""
    return u32(u32(weighed(a, b, c, d, x, y) + HALVES) >> EIGHT) & PAIR


@inner(_nrt=False, forceinline=True)
def weighed(a: Scalar, b: Scalar, c: Scalar, d: Scalar, x: Scalar, y: Scalar) -> Scalar:
    """`bilinear` before it is rounded: 256 times as much."""
    xy = u32(u32(x * y) >> EIGHT)
    top = u32(u32(a * u32(u32(np.uint32(256) + xy) - u32(x + y))) + u32(b * u32(x - xy)))
    bottom = u32(u32(c * u32(y - xy)) + u32(d * xy))
    return u32(top + bottom)


@inner(_nrt=False, forceinline=True)
def mix(a: Scalar, b: Scalar, weight: Scalar) -> Scalar:
    """Two pairs of channels, `weight` out of 256 of the second."""
    total = u32(u32(a * u32(np.uint32(256) - weight)) + u32(b * weight))
    return u32(u32(total + HALVES) >> EIGHT) & PAIR


@inner(_nrt=False, forceinline=True)
def write(count: Scalar, row: U32, start: Scalar, rgb: U8) -> None:
    """Three bytes a pixel from rgb[start] on. row (ROW_ARRAYS * PITCH,), rgb (H * W * 3,)."""
    for i in range(count):
        color = row[np.uint64(i) + COLOR]
        at = np.uint64(start + 3 * i)
        rgb[at] = np.uint8(color & LOW)
        rgb[at + np.uint64(1)] = np.uint8(u32(color >> EIGHT) & LOW)
        rgb[at + np.uint64(2)] = np.uint8(u32(color >> SIXTEEN) & LOW)
