"""Obstacle shapes: their solids, outlines from above, and import from files of other programs."""
