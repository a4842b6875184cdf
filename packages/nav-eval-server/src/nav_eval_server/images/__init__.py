"""Entries by container image: sent in pieces (storage), run by workers without a network (container, engine)."""
