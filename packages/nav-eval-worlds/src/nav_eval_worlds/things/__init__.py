"""The small things of a building: what they look like, who may have which, and where they are put."""
