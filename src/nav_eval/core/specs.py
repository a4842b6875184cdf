"""What an observation looks like before it exists: the specs of the wire, which sensors, gym, docs and checks read."""

from nav_eval_sdk.protocol.specs import Argument, ListSpec, NumberSpec, Spec, StructSpec, TensorSpec, TextSpec

__all__ = ["ListSpec", "NumberSpec", "Spec", "StructSpec", "TensorSpec", "TextSpec", "declaration_fault"]

_UNITS = {
    "m": ("metre", "metres", "meter", "meters"),
    "rad": ("radian", "radians"),
    "degrees": ("degree", "deg", "°"),
    "s": ("sec", "second", "seconds"),
}
"""Unit -> other spellings of it, which nothing here knows: they would not be rounded in a competition."""


def declaration_fault(declared: Spec | Argument) -> str | None:
    """What an author wrote wrongly in a declaration, or None."""
    unit, shape = declared.unit, getattr(declared, "shape", ())
    if not isinstance(unit, str):
        return f"`unit` is {unit!r}, not a string"
    for known, spellings in _UNITS.items():
        if unit in spellings:
            return f"there is no unit {unit!r}. Did you mean {known!r}?"
    if not isinstance(shape, tuple | list):
        return f"`shape` is {shape!r}. Write shape=({shape!r},)"
    low, high = getattr(declared, "low", None), getattr(declared, "high", None)
    return f"`low` {low:g} is above `high` {high:g}" if low is not None and high is not None and low > high else None
