"""People who walk in a building, and how."""
