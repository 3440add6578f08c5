"""Runs: the tick, the worker thread that paces it, and the recording."""
