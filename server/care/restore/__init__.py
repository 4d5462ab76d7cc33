"""Restoring a board: as it was at an earlier point, as one new event; nothing is taken away."""
