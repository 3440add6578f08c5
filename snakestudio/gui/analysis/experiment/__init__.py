"""Measured robots in the window: import, alignment, what is drawn over the run, and the error figures."""
