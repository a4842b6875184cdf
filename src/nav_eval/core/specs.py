"""What an observation looks like before it exists: the specs of the wire, which sensors, gym, docs and checks read."""

from nav_eval_sdk.protocol.specs import ListSpec, NumberSpec, Spec, StructSpec, TensorSpec, TextSpec

__all__ = ["ListSpec", "NumberSpec", "Spec", "StructSpec", "TensorSpec", "TextSpec"]
