"""A competition server: submissions, their queue and their evaluation. Evaluations are subprocesses of `nav-eval`."""

__version__ = "0.1.0"
