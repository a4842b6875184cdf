"""Procedural homes and offices with light, semantics and navmesh; their episodes, instructions and pictures."""

from nav_eval.config.generator import GENERATOR as GENERATOR

__version__ = "0.1.0"
