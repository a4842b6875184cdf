"""Navigation agents to compare with, and the project that trains one of them."""

__version__ = "0.1.0"
