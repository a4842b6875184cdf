"""The building itself: walls, floors, ceilings, stairs, windows, what is built in, and its outer walls."""
