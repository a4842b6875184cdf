"""What a building is before it has walls: its rooms, doors, windows and stairs, on millimetres."""
