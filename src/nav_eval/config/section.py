"""What the sections of a configuration have in common with the options of its components (options.py).

Apart from the schema, which takes as long to import as pydantic itself: what only names components needs none of it.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Section(BaseModel):
    """Base of every section: frozen, no unknown keys, no NaN or infinity."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
