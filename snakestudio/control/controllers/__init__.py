"""Controllers: they read a Snapshot and answer with references for the next stretch."""
