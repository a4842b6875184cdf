"""The evaluator's side of the agents: one service object for a wire or for this process, and what it may be told."""
