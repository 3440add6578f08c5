"""Comparing models in the window: the runs beside each other, as ghosts, curves and a table."""
