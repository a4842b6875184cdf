"""Procedural homes and offices with light, semantics and navmesh; their episodes, instructions and pictures."""

__version__ = "0.1.0"

GENERATOR = 8
"""Version of the generator: raised whenever the same seed gives another building or other episodes."""
