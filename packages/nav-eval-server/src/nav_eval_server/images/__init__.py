"""Entries by container image: sent in pieces (storage), loaded and run by workers (loading, container, engine)."""

from typing import Literal

ImageFault = Literal["image_unfit", "image_ended", "image_memory", "image_silent"]
"""What may be wrong with a team's image; what a worker says then fills in the sentence of queue.states."""
