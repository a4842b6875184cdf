"""Baked light: sun and sky through the windows, lamps, and what comes back from the surfaces they light.

Every texel of the lightmap, and every vertex that has none, gathers what it sees of these sources by rays through a
grid of cubes (worlds/rays). What it sends back is gathered at probes and handed on; narrow corners get less of it.
The sum is exposed and developed as by a camera (worlds/exposure), and polished surfaces get their shine (worlds/gloss).
All of it is exact arithmetic. An array of light is (N, 3), linear red, green and blue, a row for each place; before it
is exposed, 1 is what a place gets that sees nothing but a white sky. Positions and normals are in the world frame
(metres, y up).
"""
