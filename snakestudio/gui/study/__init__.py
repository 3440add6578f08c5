"""Studies in the window: set-up, run, and results."""
