"""Parquet tables of steps whose pictures Hugging Face's `datasets` decodes: it reads the schema's own metadata."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from nav_eval.results.files import write_atomically


def scalar(dtype: str) -> dict[str, Any]:
    return {"dtype": dtype, "_type": "Value"}


def vector(dtype: str, length: int) -> dict[str, Any]:
    return {"feature": scalar(dtype), "length": length, "_type": "Sequence"}


def texts() -> dict[str, Any]:
    return lists(scalar("string"))


def lists(feature: dict[str, Any]) -> dict[str, Any]:
    return {"feature": feature, "_type": "List"}


def matrix(rows: int, columns: int) -> dict[str, Any]:
    return {"shape": [rows, columns], "dtype": "float32", "_type": "Array2D"}


IMAGE = {"_type": "Image"}


def write_table(path: Path, columns: Mapping[str, tuple[dict[str, Any], Any]]) -> None:
    """`columns`: name -> (its feature, its values); values of an image are the bytes of its file."""
    import pyarrow as pa

    arrays = {name: pa.array(_values(feature, values), _type(feature)) for name, (feature, values) in columns.items()}
    features = {name: feature for name, (feature, _) in columns.items()}
    schema = pa.schema([(name, array.type) for name, array in arrays.items()])
    schema = schema.with_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    table = pa.table(list(arrays.values()), schema=schema)
    write_tables(path, [table])


def write_tables(path: Path, tables: Iterable[Any]) -> None:
    """Of one schema; each becomes a row group, and the tables are read one by one."""
    import pyarrow as pa
    from pyarrow import parquet

    def write(fresh: Path) -> None:
        rest = iter(tables)
        first = next(rest)
        packed = [field.name for field in first.schema if not pa.types.is_struct(field.type)]  # a struct is a picture
        with parquet.ParquetWriter(fresh, first.schema, compression="snappy", use_dictionary=packed) as file:
            for table in chain([first], rest):
                file.write_table(table)

    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, write)


def _values(feature: Mapping[str, Any], values: Any) -> Any:
    if feature == IMAGE:
        return [{"bytes": data, "path": None} for data in values]
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _type(feature: Mapping[str, Any]) -> Any:
    import pyarrow as pa

    if feature["_type"] == "Image":
        return pa.struct({"bytes": pa.binary(), "path": pa.string()})
    if feature["_type"] == "Value":
        return pa.type_for_alias(feature["dtype"])
    if feature["_type"] == "Array2D":
        return pa.list_(pa.list_(pa.type_for_alias(feature["dtype"])))
    return pa.list_(_type(feature["feature"]), feature.get("length", -1))
