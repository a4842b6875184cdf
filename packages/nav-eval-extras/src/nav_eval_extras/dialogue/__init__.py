"""A task in which the agent may ask the way, and the oracle that answers it."""
