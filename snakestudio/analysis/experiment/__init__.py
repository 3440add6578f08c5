"""Experiments: motion capture read from files, laid over a run, and the errors between the two as figures."""
