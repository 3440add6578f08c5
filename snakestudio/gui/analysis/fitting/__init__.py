"""Fits in the window: free parameters, measured runs, progress, and results."""
