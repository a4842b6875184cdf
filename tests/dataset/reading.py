"""Files of data sets as they stand."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any


def raw(path: Path) -> Any:
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
