"""Cameras: a software renderer that runs everywhere, one on OpenGL, and panoramas made of either."""
