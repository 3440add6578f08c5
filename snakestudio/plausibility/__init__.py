"""Plausibility checks of runs: what no robot does is detected in the recorded rows. See docs/plausibility.md."""
