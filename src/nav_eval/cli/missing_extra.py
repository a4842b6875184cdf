"""Stand-ins for the commands of distributions that are not installed: they say what to install."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from nav_eval.registry import missing


def competition(*_: Annotated[str, Parameter(allow_leading_hyphen=True, show=False)]) -> int:
    """Run a competition; this needs the package nav-eval-server."""
    raise missing("competition", "nav-eval-server")


def buildings(*_: Annotated[str, Parameter(allow_leading_hyphen=True, show=False)]) -> int:
    """Make buildings, or episodes on them; this needs the package nav-eval-worlds."""
    raise missing("this command", "nav-eval[demo]")


def sweep(*_: Annotated[str, Parameter(allow_leading_hyphen=True, show=False)]) -> int:
    """Measure robustness to perturbations; this needs the package nav-eval-extras."""
    raise missing("sweep", "nav-eval-extras")


def human(*_: Annotated[str, Parameter(allow_leading_hyphen=True, show=False)]) -> int:
    """Let a person play in a browser; this needs the package nav-eval-extras."""
    raise missing("human", "nav-eval-extras")


def annotate(*_: Annotated[str, Parameter(allow_leading_hyphen=True, show=False)]) -> int:
    """Let people write instructions; this needs the package nav-eval-extras."""
    raise missing("annotate", "nav-eval-extras")


def collect(*_: Annotated[str, Parameter(allow_leading_hyphen=True, show=False)]) -> int:
    """Write training data; this needs the package nav-eval-extras."""
    raise missing("collect", "nav-eval[collect]")
