"""How a link lies in space in the angles people think in: roll, pitch and yaw, as scene files give them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["roll_pitch_yaw"]

FloatArray = NDArray[np.float64]


def roll_pitch_yaw(quaternion: FloatArray) -> FloatArray:
    """Angles (..., 3), rad, of unit quaternions w x y z (..., 4): R = R_z(yaw) R_y(pitch) R_x(roll).

    A positive pitch points the link downwards, as in a start's `pitch_deg`. Roll and yaw lie between -pi and pi, the
    pitch between -pi/2 and pi/2; pointing straight up or down only the sum or difference of the other two is known.
    """
    w, x, y, z = np.moveaxis(quaternion, -1, 0)
    roll = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return np.stack([roll, pitch, yaw], axis=-1)
