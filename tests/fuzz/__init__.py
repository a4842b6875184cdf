"""Fuzzing of every decoder that reads what strangers send: `python -m fuzz TARGET --seconds N`, from tests/.

A target is a module of this package. It exports

- `seeds() -> list[bytes]`: small inputs that decode, made by code;
- `one(data: bytes) -> None`: decodes one input and returns; only what `expect.only` lets pass may go wrong, and what
  decodes must keep the properties that the target asserts. Whatever else it raises is a finding;
- optionally `mutate(data, max_size, seed) -> bytes`: a mutation that keeps the structure (see `documents`);
- optionally `MAX_LEN` (bytes, default 65536).

Inputs of findings that were mended are in regressions/<target>/; test_fuzz.py feeds each to `one` again.
"""

TARGETS = ("dataset", "config", "predictions", "scene", "navmesh", "wire")
