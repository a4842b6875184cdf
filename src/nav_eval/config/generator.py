"""The one number that the configuration and nav_eval_worlds share; nothing is imported for it."""

GENERATOR = 13
"""Version of the generator of homes and offices: raised whenever the same seed gives another building or other
episodes."""
