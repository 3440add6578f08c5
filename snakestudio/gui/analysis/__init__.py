"""Analyses of runs in the window: measured trials, fits, and comparisons of models."""
