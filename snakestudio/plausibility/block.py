"""Context of the checks of a run, and the blocks of rows that they receive."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.piece import Piece
from snakestudio.model.recording import Rows, Schema
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields
from snakestudio.model.step_estimate import StepEstimate
from snakestudio.plausibility.accumulators import Quantiles, Rise
from snakestudio.plausibility.bounds import gravity_of, shape_speed, static_torque, swing_inertia

DRIVE_QUANTILE = 0.9
"""Quantile of the speeds and accelerations of the reference that describes a gait: jumps of the reference
at the start, or after a change, are rare."""


@dataclass(frozen=True, slots=True)
class RunContext:
    """What the checks know about a run apart from its rows."""

    scene: Scene
    """Scene at the start."""

    schema: Schema
    scene_at: Callable[[float], Scene]
    """Scene at a time (s): obstacles can be moved during a run."""

    base_dir: Path | None = None
    """Folder of the relative paths in the scene."""

    step_estimate: Callable[[], StepEstimate | None] = lambda: None
    """Dependence of the result on the time step, if it was checked."""

    @property
    def consistent(self) -> bool:
        """Whether the rows belong to the body of the scene; rows from other sources may not."""
        body = self.scene.body
        sections = len(body.abscissas)
        return (self.schema.n_links, self.schema.axes, len(self.schema.sections)) == (
            body.n_parts,
            body.axes,
            sections,
        )

    @property
    def chain(self) -> bool:
        """Whether the body is a chain of links with at least one joint axis."""
        return bool(self.schema.axes) and not self.schema.sections

    @property
    def collides(self) -> bool:
        """Whether contacts are solved, so that links must not overlap obstacles or the ground."""
        return FORMULATIONS[self.scene.model.kind].contact_problems


class Block(Piece):
    """Consecutive rows of a run, with values that several checks need."""

    def __init__(self, context: RunContext, rows: Rows, before: Rows | None) -> None:
        super().__init__(context.schema, rows, before)
        self.context = context
        self.first = before is None
        """Whether the first row is that of the start."""

    @property
    def time(self) -> FloatArray:
        """Times of the rows, (k,), s."""
        return self.rows.time

    @cached_property
    def link_speed(self) -> FloatArray:
        """Speed of each link's centre of mass, (k, n), m/s."""
        return _length(self.rows.link_twist[:, :, :3])

    @cached_property
    def com_velocity(self) -> FloatArray:
        """Velocity of the robot's centre of mass, (k, 3), m/s."""
        return np.stack([self.over_mass(self.rows.link_twist[:, :, k]) for k in range(3)], axis=1)

    @cached_property
    def com_position(self) -> FloatArray:
        """Position of the robot's centre of mass, (k, 3), m."""
        return np.stack([self.over_mass(self.rows.link_pose[:, :, k]) for k in range(3)], axis=1)

    @cached_property
    def reference_rate(self) -> FloatArray:
        """Mean rate of the reference of each axis since the previous row, (k, m), rad/s.

        The rate of the joints, if the run has no reference angles.
        """
        if Fields.REFERENCE in self.schema.valid:
            return self.mean(lambda rows: rows.joint_angle_ref)
        return self.mean(lambda rows: rows.joint_angle)

    @cached_property
    def energy_change(self) -> FloatArray:
        """Change of all energies since the previous row, (k, energies), J."""
        return self.difference(lambda rows: rows.energy)

    def energy(self, name: str) -> FloatArray:
        """Return an energy or work, (k,), J; 0 if the run does not have it."""
        if name not in self.schema.energy:
            return np.zeros(len(self.rows))
        return self.rows.energy[:, self.schema.energy.index(name)]


class Drive:
    """How strongly and how fast the robot is driven: what torques and speeds are compared with."""

    def __init__(self, context: RunContext) -> None:
        self._context = context
        self._speed = Quantiles()
        self._acceleration = Quantiles()
        self._rate: FloatArray | None = None
        self._gains = {name: Rise() for name in ("work_gravity", "work_external", "work_spring")}
        self._start = 0.0
        scene = context.scene
        self.mass = scene.body.mass
        self.static_torque = static_torque(scene) if context.chain else 0.0
        self._inertia = swing_inertia(scene) if context.chain else 0.0
        self._length = np.array([link.length for link in scene.robot.links])
        self.settling_speed = math.sqrt(0.5 * gravity_of(scene) * scene.body.radius)
        """Half the speed of a fall by one radius, m/s: links settle on the ground."""

    def feed(self, block: Block) -> None:
        """Add rows."""
        if block.first:
            self._start = float(block.link_speed[0].max(initial=0.0))
        for name, rise in self._gains.items():
            rise.feed(block.time, block.energy(name))
        if not self._context.chain:
            return
        moving = block.span > 0.0
        rate = block.reference_rate[moving]
        if not len(rate):
            return
        self._speed.feed(shape_speed(rate, block.schema.axes, self._length))
        before = rate[:1] if self._rate is None else self._rate
        change = np.abs(np.diff(rate, axis=0, prepend=before)).max(axis=1)
        self._acceleration.feed(change / block.span[moving])
        self._rate = rate[-1:]

    @property
    def torque(self) -> float:
        """Torque that the motion of the gait needs: the static one, and that of accelerating the shorter side, N m."""
        return self.static_torque + self._inertia * self._acceleration.at(DRIVE_QUANTILE)

    @property
    def speed(self) -> float:
        """Speed up to which the gait moves the links relative to each other, m/s; see `bounds.shape_speed`."""
        return self._speed.at(DRIVE_QUANTILE)

    @property
    def given_speed(self) -> float:
        """Speed that the robot has without its joints, m/s: of the start, of falling, of pulls and springs."""
        energy = sum(rise.largest.value for rise in self._gains.values())
        return self._start + math.sqrt(2.0 * energy / self.mass) + self.settling_speed


def _length(vectors: FloatArray) -> FloatArray:
    """Return the lengths of vectors (..., 3)."""
    length: FloatArray = np.sqrt(np.einsum("...a,...a->...", vectors, vectors))
    return length
