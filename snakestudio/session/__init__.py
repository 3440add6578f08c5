"""Runs: the one tick, the worker thread that paces it, and the recording it leaves."""
