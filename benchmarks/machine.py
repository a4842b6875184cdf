"""What a measurement is true of."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def machine() -> str:
    """How busy it is now, its cores, and its processor as the system calls it."""
    told = Path("/proc/cpuinfo")
    lines = told.read_text().splitlines() if told.is_file() else []
    names = (line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, {next(names, platform.machine())}"
