"""What stands in which room: the furniture of homes and offices, and where it fits."""
