"""Kinds of joints: which of the axes yaw, pitch and roll a joint has, as bits."""

from __future__ import annotations

# A joint rotates by yaw about z of the link ahead, then by pitch about y, then by roll about x of the
# link behind: R = R_z R_y R_x. Without any of them, the joint is fixed.
HAS_YAW = 1
HAS_PITCH = 2
HAS_ROLL = 4

WIDE = 8
"""Yaw and pitch that may approach 90 degrees."""
AXES = HAS_YAW | HAS_PITCH | HAS_ROLL
"""Mask of the bits of the axes."""
CARDAN = HAS_YAW | HAS_PITCH
YAW_ROLL = HAS_YAW | HAS_ROLL
PITCH_ROLL = HAS_PITCH | HAS_ROLL
THREE = AXES


def axis_names(kind: int) -> tuple[str, ...]:
    """Return the names of the axes of a joint of this kind, in their order."""
    return tuple(
        name
        for name, bit in (("yaw", HAS_YAW), ("pitch", HAS_PITCH), ("roll", HAS_ROLL))
        if kind & bit
    )
