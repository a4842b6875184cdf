"""Fuzzes the reader of submission files, in every form that `nav-eval score` takes.

Head of an input: nothing. One file, a.json or a.jsonl.
"""

from __future__ import annotations

import json
import math
import tempfile
from pathlib import Path
from typing import Any

from fuzz.documents import mutate, pack, unpack
from fuzz.expect import only
from nav_eval.errors import PredictionsError
from nav_eval.results.predictions import read_predictions

__all__ = ["mutate", "one", "seeds"]

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz_predictions_"))


def seeds() -> list[bytes]:
    lines = b"\n".join(json.dumps(row).encode() for row in RXR)
    return [pack("", {"a.json": json.dumps(document).encode()}) for document in (R2R, NDH, CE)] + [
        pack("", {"a.jsonl": lines})
    ]


R2R: Any = [
    {"instr_id": "7_0", "trajectory": [["a", 0.0, 0.0], ["b", 1.5, -0.2]]},
    {"instr_id": "7_1", "trajectory": ["a", "b"]},
]
NDH: Any = [{"inst_idx": 3, "trajectory": [["a", 0.0, 0.0]]}]
CE: Any = {
    "1": [
        {"position": [0.0, 0.0, 0.0], "heading": 0.0, "stop": False},
        {"position": [1, 0, 2], "heading": 1, "stop": True},
    ]
}
RXR: Any = [{"instruction_id": 11, "path": [[0, 0, 0], [1, 0, 0]]}, {"instruction_id": "12", "path": [[1, 2, 3]]}]


def one(data: bytes) -> None:
    for name, content in unpack(data)[1].items():
        path = FOLDER / ("a.jsonl" if name.endswith("l") else "a.json")
        path.write_bytes(content)
        with only(PredictionsError, names=str(path)):
            for identity, prediction in read_predictions(path).items():
                identity.encode()
                assert prediction.states, identity
                for state in prediction.states:
                    assert state.node is not None or all(map(math.isfinite, state.position)), identity
                    assert all(map(math.isfinite, (*state.rotation, state.elevation))), identity
