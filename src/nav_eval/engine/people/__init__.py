"""People as they are drawn: a body of a few thousand triangles, its walk, and how it is laid over a frame."""
