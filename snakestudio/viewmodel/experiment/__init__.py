"""Measured tracks as they are laid over a run."""
