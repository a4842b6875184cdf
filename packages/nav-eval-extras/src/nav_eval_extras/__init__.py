"""Optional features of the simulator, each found by an entry point as anybody's plug-in is."""

__version__ = "0.1.0"
