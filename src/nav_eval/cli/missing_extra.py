"""Stand-ins for the commands of distributions that are not installed: they say what to install."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from nav_eval.errors import InputError


def competition(*_: Annotated[str, Parameter(allow_leading_hyphen=True, show=False)]) -> int:
    """Run a competition; this needs the package nav-eval-server."""
    raise InputError("competition comes with a package of its own: pip install nav-eval-server")


def buildings(*_: Annotated[str, Parameter(allow_leading_hyphen=True, show=False)]) -> int:
    """Make buildings, or episodes on them; this needs the package nav-eval-worlds."""
    from nav_eval.runs.generators import no_homes

    raise no_homes()
