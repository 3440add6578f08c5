"""Experiments: motion capture read from files, aligned with a run, and the errors between the two."""
