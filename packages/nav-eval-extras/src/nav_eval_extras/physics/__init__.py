"""MuJoCo as the engine that moves a body through a building."""
