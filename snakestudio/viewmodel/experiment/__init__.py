"""Measured tracks overlaid on a run."""
