"""Entries in the states of both non-smooth formulations: counters, works and indices of contact sums."""

from __future__ import annotations

__all__: list[str] = []

# Entries of State.counts.
STEP, ITERATIONS, UNCONVERGED, CALL_ITERATIONS, CALL_STEPS, CONTACTS, SLOTS_ROW, SLOTS_CALL = range(
    8
)
# First entries of State.sums, works in J; the last two entries are the largest residuals.
ACTUATOR, FRICTION, GRAVITY, OBSTACLE, JOINT, STOP, EXTERNAL = range(7)
# Entry of State.contact behind link, body and feature.
SLOT_ROW = 3
SLOT_CALL = 4
# Entry of State.slot_key behind link, body and feature.
LOADED = 3
