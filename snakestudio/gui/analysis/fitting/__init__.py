"""Fitting in the window: what is free, what was measured, how it goes, and what came out."""
