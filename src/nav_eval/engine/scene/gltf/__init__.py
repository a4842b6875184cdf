"""glTF 2.0: what nav_eval reads of it is exactly what decides geometry, colour and semantics."""
