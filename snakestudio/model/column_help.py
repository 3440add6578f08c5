"""Short descriptions of vector components in columns; `model/quantities.py` declares the columns."""

from __future__ import annotations

FORCES = {"obstacle": "obstacles", "ground": "the ground"}
LINK_AXES = {
    "along": "along the link (towards the head)",
    "across": "across the link (to its left)",
    "up": "along the link's z axis",
}
POSE = {
    **{f"{axis}_m": f"Position of the link's centre of mass, {axis}" for axis in "xyz"},
    **{f"q{part}": f"Orientation of the link, quaternion, {part}" for part in "wxyz"},
}
TWIST = {
    **{f"v{axis}_mps": f"Velocity of the link's centre of mass, {axis}" for axis in "xyz"},
    **{f"w{axis}_radps": f"Angular velocity of the link, {axis}" for axis in "xyz"},
}
STRAINS = (
    "Stretch along the body (1: unstrained)",
    "Shear along the section's y axis",
    "Shear along the section's z axis",
    "Twist",
    "Curvature about the section's y axis",
    "Curvature about the section's z axis",
)
WRENCH = {
    **{f"n{axis}_n": f"Internal force in the section's frame, {axis}" for axis in "xyz"},
    **{f"c{axis}_nm": f"Internal couple in the section's frame, {axis}" for axis in "xyz"},
}
HOLDS = (
    "Whether the anchor or support holds (1 or 0)",
    "Position of the anchor or support along the unstrained body",
    *(f"Position of the anchor or support, {axis}" for axis in "xyz"),
    *(f"Normal of the cross-section at the anchor or support, {axis}" for axis in "xyz"),
    *(f"Force of the anchor or support on the body, {axis}" for axis in "xyz"),
    *(f"Torque of the anchor or support on the body, {axis}" for axis in "xyz"),
)
