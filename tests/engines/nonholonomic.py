"""Scenes and an independent formulation for the tests of the nonholonomic engine."""

from __future__ import annotations

from itertools import product

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines.planar_nonholonomic.engine import PlanarNonholonomicEngine
from snakestudio.model.recording import Rows
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.paths import scenes_dir
from tests.engines.common import still
from tests.engines.lagrangian import changed


def jam(name: str = "jam_without_resolution", **values: object) -> Scene:
    """Return a shipped scene of P3 with other values."""
    return changed(load_scene(scenes_dir() / f"{name}.toml"), **values)


def run(
    scene: Scene, duration: float, every: int = 10, reference: JointReference | None = None
) -> tuple[PlanarNonholonomicEngine, Rows]:
    """Run a scene from its start with a reference, by default 0; with a row every `every` steps, and the first row."""
    steps = round(duration / scene.solver.step_s)
    engine = PlanarNonholonomicEngine(scene)
    first = engine.initial_rows()
    report = engine.advance(reference or still(scene), steps, np.arange(every, steps + 1, every))
    assert report.ok, report.message
    return engine, Rows.concatenate([first, report.rows])


class Paper:
    """P3 (10) to (49) as printed, in q = (theta_1 ... theta_n, p_x, p_y); torques are the paper's."""

    def __init__(self, n: int, half: float, mass: float, inertia: float) -> None:
        self.n = n
        self.half = half
        self.mass = mass
        self.inertia = inertia
        self.a = np.eye(n)[:-1] + np.eye(n)[1:]
        self.d = np.eye(n)[:-1] - np.eye(n)[1:]
        inverse = np.linalg.inv(self.d @ self.d.T)
        self.big_n = self.a.T @ inverse @ self.d
        self.big_v = self.a.T @ inverse @ self.a

    def velocities(self, theta: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the velocities of the links by (10) and (11)."""
        n = self.n
        a = np.array([self.half / n * j for j in range(n)])  # a_j and b_j of (12), j from 1
        b = np.array([-self.half * (n - j) / n for j in range(n)])
        x = np.full(n, v[n])
        y = np.full(n, v[n + 1])
        for i in range(1, n + 1):
            for j in range(1, n):
                coefficient = a[j] if j <= i - 1 else b[j]
                x[i - 1] -= coefficient * (
                    np.sin(theta[j - 1]) * v[j - 1] + np.sin(theta[j]) * v[j]
                )
                y[i - 1] += coefficient * (
                    np.cos(theta[j - 1]) * v[j - 1] + np.cos(theta[j]) * v[j]
                )
        return x, y

    def constraints(self, theta: FloatArray, omega: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return C of (34) and its derivative (35), each (n, n + 2)."""
        n = self.n
        half = self.half

        def a(j: int) -> float:
            return half / n * j if 1 <= j <= n - 1 else 0.0

        def b(j: int) -> float:
            return -half * (n - j) / n if 1 <= j <= n - 1 else 0.0

        c, dc = np.zeros((2, n, n + 2))
        for i in range(1, n + 1):
            for j in range(1, n + 1):
                coefficient = (
                    b(j - 1) + b(j) if i < j else a(j - 1) + b(j) if i == j else a(j - 1) + a(j)
                )
                angle = theta[i - 1] - theta[j - 1]
                c[i - 1, j - 1] = coefficient * np.cos(angle)
                dc[i - 1, j - 1] = coefficient * (omega[j - 1] - omega[i - 1]) * np.sin(angle)
            c[i - 1, n:] = -np.sin(theta[i - 1]), np.cos(theta[i - 1])
            dc[i - 1, n:] = (
                -np.cos(theta[i - 1]) * omega[i - 1],
                -np.sin(theta[i - 1]) * omega[i - 1],
            )
        return c, dc

    def on_coordinates(self, theta: FloatArray, fx: FloatArray, fy: FloatArray) -> FloatArray:
        """Return the product of the matrix of (29) and forces on the links."""
        sin, cos = np.diag(np.sin(theta)), np.diag(np.cos(theta))
        turning = self.half * (sin @ self.big_n @ fx - cos @ self.big_n @ fy)
        return np.concatenate([turning, [fx.sum(), fy.sum()]])

    def motion(self, theta: FloatArray, omega: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return Q of (28), and the part W theta'^2 of F due to rotation (its printed sign is on the right side)."""
        sin, cos = np.diag(np.sin(theta)), np.diag(np.cos(theta))
        scale = self.mass * self.half**2
        q = np.zeros((self.n + 2, self.n + 2))
        q[: self.n, : self.n] = self.inertia * np.eye(self.n) + scale * (
            sin @ self.big_v @ sin + cos @ self.big_v @ cos
        )
        q[self.n :, self.n :] = self.n * self.mass * np.eye(2)
        w = scale * (cos @ self.big_v @ sin - sin @ self.big_v @ cos)
        return q, np.concatenate([w @ omega**2, [0.0, 0.0]])


def reactions(matrix: FloatArray, free: FloatArray, side: FloatArray) -> FloatArray:
    """Return the unique solution of a one-sided problem by enumeration of all active sets."""
    n = len(free)
    for acts in product([False, True], repeat=n):
        active = np.array(acts) | (side == 0.0)
        z = np.zeros(n)
        if active.any():
            z[active] = np.linalg.solve(matrix[np.ix_(active, active)], -free[active])
        moves = matrix @ z + free
        if (side * z >= -1e-9).all() and (side * moves >= -1e-9).all():
            return z
    raise AssertionError("there is no solution")
