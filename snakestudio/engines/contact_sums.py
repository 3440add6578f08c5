"""Entries of the states of both non-smooth formulations: counters, works and the places of contacts in sums."""

from __future__ import annotations

__all__: list[str] = []

# Entries of State.counts.
STEP, ITERATIONS, UNCONVERGED, CALL_ITERATIONS, CALL_STEPS, CONTACTS, SLOTS_ROW, SLOTS_CALL = range(
    8
)
# First entries of State.sums, works in J; the last two are the worst residuals.
ACTUATOR, FRICTION, GRAVITY, OBSTACLE, JOINT, STOP, EXTERNAL = range(7)
# Entries of State.contact after link, body and feature.
SLOT_ROW = 3
SLOT_CALL = 4
# Entry of State.slot_key after link, body and feature.
LOADED = 3
