"""Physics engines: what moves a body through a building."""
