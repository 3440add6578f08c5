"""Head motion required by anchored cross-sections: how much anchors contradict each other, and the cost of a change.

In P5 an anchored section is at rest relative to its anchor, (27) to (30), so each anchor alone
determines the motion of the head. The engine uses the mean of all anchors. Here the contradiction is
computed from the strain law by quadrature, so that it can be reported before a run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.non_sliding import carried, gathered
from snakestudio.model.robot.attachments import Attachments
from snakestudio.model.robot.beam import GROUPS
from snakestudio.model.robot.beam_shape import bracket, grid, shape
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.scene import Scene

POINTS = 641
"""Largest number of points along a body."""


class Anchorage(NamedTuple):
    """Motion of a body under its anchors at k times."""

    slip: FloatArray
    """Speed of each anchored section relative to its anchor, m/s; rotations are multiplied by the
    body's radius. Shape (k, p)."""

    fastest: FloatArray
    """The largest speed of any cross-section, m/s. Shape (k,)."""

    kinetic: FloatArray
    """Kinetic energy of the body, J. Shape (k,)."""


def anchorage(scene: Scene, law: StrainLaw, holds: Attachments, times: FloatArray) -> Anchorage:
    """Motion of the body of `scene` under its anchors at `times` (k,), s; while none holds, the head is at rest."""
    beam = scene.beam
    points = grid(scene)
    while len(points) > POINTS and (len(points) - 1) % 4 == 0:
        points = points[::2]
    field = law.at(times, points)
    turn, position = shape(field.strain, beam.length_m)
    sums = gathered(turn, position, field.rate, points)
    hold, twist = holds.at(times)
    required = np.zeros((*hold.shape[:2], 6))
    frames = []
    rows = np.arange(len(times))
    for i in range(hold.shape[1]):
        # At the nearest point, then to the anchor by the strain at that point.
        near = np.rint(hold[:, i, 1] / points[1]).astype(np.int64).clip(0, len(points) - 1)
        left = (hold[:, i, 1] - points[near])[:, None]
        xi = field.strain[rows, near]
        rate = field.rate[rows, near]
        point_twist = twist[:, i, :6] - (xi * hold[:, i, 2:3] if scene.support.sweeps else 0.0)
        point_twist = point_twist + left * (
            bracket(xi, point_twist) - rate
        )  # (7), back to the point
        frames.append((turn[rows, near][:, None], position[rows, near][:, None], point_twist))
        required[:, i] = (
            _to_head(turn[rows, near], position[rows, near], point_twist) - sums[rows, near]
        )
    mask = np.zeros(6)
    mask[list(GROUPS[beam.group])] = 1.0
    required *= mask
    active = hold[:, :, :1] > 0.5
    head = (required * active).sum(axis=1) / np.maximum(active.sum(axis=1), 1)
    slip = np.zeros(hold.shape[:2])
    weigh = np.array([1.0, 1.0, 1.0, *[beam.radius_m] * 3])
    for i, (at_turn, at_place, _) in enumerate(frames):
        against = carried(at_turn, at_place, (head - required[:, i])[:, None, :])[:, 0]
        slip[:, i] = np.where(active[:, i, 0], np.abs(against * mask * weigh).max(axis=1), 0.0)
    eta = carried(turn, position, head[:, None, :] + sums)
    linear = (eta[..., :3] ** 2).sum(axis=-1)
    angular = eta[..., 3:] ** 2
    energy = 0.5 * (beam.mass_per_length * linear + angular @ np.array(beam.inertia_per_length))
    kinetic = np.trapezoid(energy, points, axis=1)
    return Anchorage(slip, np.sqrt(linear.max(axis=1)), kinetic)


def switches(holds: Attachments, times: FloatArray, most: int = 24) -> FloatArray:
    """Times of the first `most` changes of the active anchors, s; each is the one of `times` before the change."""
    active = holds.at(times)[0][:, :, 0] > 0.5
    change = np.flatnonzero((active[1:] != active[:-1]).any(axis=1))[:most]
    low = times[change]
    high = times[change + 1]
    before = active[change]
    for _ in range(40):
        if not len(low) or (high - low).max() < 1e-9:
            break
        middle = 0.5 * (low + high)
        same = ((holds.at(middle)[0][:, :, 0] > 0.5) == before).all(axis=1)
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return high


def _to_head(turn: FloatArray, position: FloatArray, twist: FloatArray) -> FloatArray:
    """Return twists (k, 6) of sections as their extension to the head: Ad_g, P5 (66)."""
    angular = np.einsum("kij,kj->ki", turn, twist[:, 3:])
    linear = np.einsum("kij,kj->ki", turn, twist[:, :3]) + np.cross(position, angular)
    return np.concatenate([linear, angular], axis=1)
