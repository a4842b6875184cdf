"""Scenes, navmeshes and frames: what a building is to stand, walk and look in. Knows no episode, no configuration."""
