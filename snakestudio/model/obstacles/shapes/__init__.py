"""Obstacle shapes: one file each, named after the kind, by which `model.registry` finds it."""
