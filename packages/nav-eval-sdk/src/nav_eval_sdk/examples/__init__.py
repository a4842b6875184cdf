"""Agents to start from and to compare with."""
