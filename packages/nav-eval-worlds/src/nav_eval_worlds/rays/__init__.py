"""Rays through a grid of cubes, compiled: what light asks a hundred million times of a building.

Places count cubes where that is said, else they are metres, both along the axes of the world frame (y up). Arrays of
light are those of the package `light`.
"""
