"""The files of a run that travel between worker and server."""

from __future__ import annotations

GROWING = ("tries.jsonl", "trajectories.jsonl", "episodes.jsonl")
"""Journals, in the order in which they are sent: an episode's line comes after all that belongs to it."""
WHOLE = ("config.yaml", "secret.key", "manifest.json", "results.json", "results.csv", "submission.json")
SCORED = "scored.json"
"""What `nav-eval score` wrote."""
LOG = "log.txt"
"""What the evaluator said, of a dry run."""
AGENT_LOG = "agent.txt"
"""The last that a team's image said."""
LOGS = frozenset({LOG, AGENT_LOG})
NAMES = frozenset({*GROWING, *WHOLE, SCORED, *LOGS})
PREDICTIONS = "predictions.json"
"""What the worker calls a submitted file, of lines too: messages of `nav-eval score` that begin with it are its team's
business, by their first line; the second says what only the caller can do."""
