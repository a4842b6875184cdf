"""Semantics beside a scene: whose objects and rooms a mesh shows, from the sidecars that owners ship."""
