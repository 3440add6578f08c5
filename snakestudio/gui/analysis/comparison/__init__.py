"""Comparison of models in the window: their runs as ghosts, curves and a table."""
