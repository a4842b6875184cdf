"""Rays through a grid of cubes, compiled: what light asks a hundred million times of a building."""
