"""Leaderboards: who is counted with what, what is shown of it, and to whom."""
