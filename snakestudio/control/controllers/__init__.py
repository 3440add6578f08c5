"""Controllers: each reads a Snapshot and returns references for the next time interval."""
