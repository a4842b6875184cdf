"""Parametric furniture: one file per family, each builder draws its variant from a seeded stream."""
