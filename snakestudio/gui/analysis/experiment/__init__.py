"""Measured robots in the window: import, alignment, overlays, and errors."""
