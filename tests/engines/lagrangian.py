"""Scenes, runs and an independent formulation for the tests of the Lagrangian engine."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from snakestudio._arrays import FloatArray
from snakestudio.engines.planar_lagrangian.engine import PlanarLagrangianEngine
from snakestudio.model.recording import Rows
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from tests.engines.common import gait_reference

Array = NDArray[Any]

PERIOD = 360.0 / 70.0
"""Period of the gait of the shipped scene, s."""


def changed(scene: Scene, **values: Any) -> Scene:
    """Return `scene` with other values; `ground__mu_along=0.1` is ground.mu_along."""
    for key, value in values.items():
        part, _, name = key.partition("__")
        update = getattr(scene, part).model_copy(update={name: value}) if name else value
        scene = scene.model_copy(update={part: update})
    return scene


def undulation(**values: Any) -> Scene:
    """Return the shipped scene with other values."""
    return changed(load_scene(scenes_dir() / "lagrangian_undulation.toml"), **values)


def run(
    scene: Scene, duration: float, every: int = 10, reference: JointReference | None = None
) -> tuple[PlanarLagrangianEngine, Rows]:
    """Run a scene from its start with its gait or a reference; with a row every `every` steps, and the first row."""
    steps = round(duration / scene.solver.step_s)
    engine = PlanarLagrangianEngine(scene)
    first = engine.initial_rows()
    report = engine.advance(
        reference or gait_reference(scene, steps), steps, np.arange(every, steps + 1, every)
    )
    assert report.ok, report.message
    return engine, Rows.concatenate([first, report.rows])


def link_angles(rows: Rows) -> FloatArray:
    """Return the directions of all links, (k, n), rad, unwrapped over time."""
    angles: FloatArray = np.unwrap(
        2.0 * np.arctan2(rows.link_pose[:, :, 6], rows.link_pose[:, :, 3]), axis=0
    )
    return angles


class Paper:
    """P4 (1) to (11) in its own coordinates x = (q_1 ... q_{N-1}, theta_N, p_x, p_y) with q_i = theta_i - theta_{i+1}.

    Links, Jacobians and Christoffel symbols in sequence, as they are defined; derivatives by the
    complex step.
    """

    def __init__(self, n: int, half: float, mass: float, inertia: float) -> None:
        self.n = n
        self.half = half
        self.mass = mass
        self.inertia = inertia
        # (1): theta = turn x.
        self.turn = np.zeros((n, n + 2))
        for i in range(n):
            self.turn[i, i : n - 1] = 1.0
            self.turn[i, n - 1] = 1.0
        self.to_program = np.vstack([self.turn, np.eye(n + 2)[n:]])
        """(theta, p) from x."""

    def jacobian(self, x: Array, i: int) -> Array:
        """Return the Jacobian of the centre of gravity of link i, (2, N + 2): (4), (5) with derivatives of (7), (8)."""
        theta = self.turn @ x
        normal = np.stack([-np.sin(theta), np.cos(theta)])

        def from_tail(k: int) -> Array:
            on_angles = np.zeros((2, self.n), x.dtype)
            on_angles[:, :k] = 2.0 * self.half * normal[:, :k]
            on_angles[:, k] = self.half * normal[:, k]
            return on_angles

        tail = -sum(from_tail(k) for k in range(self.n)) / self.n
        rows: Array = (from_tail(i) + tail) @ self.turn
        rows[0, self.n] = rows[1, self.n + 1] = 1.0
        return rows

    def mass_matrix(self, x: Array) -> Array:
        """Return the mass matrix from the kinetic energy (9)."""
        matrix: Array = (self.inertia * self.turn.T @ self.turn).astype(x.dtype)
        for i in range(self.n):
            jacobian = self.jacobian(x, i)
            matrix = matrix + self.mass * jacobian.T @ jacobian
        return matrix

    def coriolis(self, x: FloatArray, v: FloatArray) -> FloatArray:
        """Return C x' of (11) by Christoffel symbols."""
        size = self.n + 2
        step = 1e-30
        derivative = np.zeros((size, size, size))  # of M_ij by x_k
        for k in range(size):
            shifted = x.astype(complex)
            shifted[k] += 1j * step
            derivative[:, :, k] = self.mass_matrix(shifted).imag / step
        symbols = 0.5 * (derivative + derivative.transpose(0, 2, 1) - derivative.transpose(2, 1, 0))
        return np.asarray(np.einsum("ijk,j,k->i", symbols, v, v))
