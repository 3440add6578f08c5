"""Obstacle shapes: a file each, called as the kind is, and found by that name (`model.registry`)."""
