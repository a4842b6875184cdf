"""Procedural homes and offices with light, semantics and navmesh; their episodes, instructions and pictures."""
