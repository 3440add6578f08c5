"""The scrubber: where in time one is, what happened when, and playing what is recorded."""
