"""Scenes and an independent formulation for the tests of the continuum engine."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from snakestudio._arrays import FloatArray
from snakestudio.engines.continuum_beam.engine import ContinuumBeamEngine, start_reference
from snakestudio.model.edits import with_values
from snakestudio.model.recording import Rows
from snakestudio.model.reference import StrainReference
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene, scene_from_dict
from snakestudio.paths import scenes_dir


def shipped(name: str, **values: object) -> Scene:
    """Return a shipped scene of P5 with other values; keys have __ instead of the dot."""
    scene = load_scene(scenes_dir() / f"{name}.toml")
    return (
        with_values(scene, {key.replace("__", "."): value for key, value in values.items()})
        if values
        else scene
    )


def body(
    strain: dict[str, Any],
    support: dict[str, Any],
    beam: dict[str, Any] | None = None,
    **parts: Any,
) -> Scene:
    """Return a continuum scene of these parts."""
    tree: dict[str, Any] = {
        "format": 1,
        "model": {"kind": "continuum_beam"},
        "beam": beam or {},
        "strain": strain,
        "support": support,
        "start": {"kind": "straight", "z_m": 0.0},
        "solver": {"step_s": 0.01, "error_tolerance": 1e-8},
    }
    return scene_from_dict(tree | parts)


def reference(scene: Scene, n_steps: int, begin: int = 0) -> StrainReference:
    """Return the scene's own law with knots at the beginning, middle and end of every step."""
    half = np.arange(2 * begin, 2 * (begin + n_steps) + 1) * (0.5 * scene.solver.step_s)
    return start_reference(scene, tuple(half))


def run(scene: Scene, duration: float, every: int = 1) -> tuple[ContinuumBeamEngine, Rows]:
    """Run a scene from its start; with a row every `every` steps, and the first row."""
    steps = round(duration / scene.solver.step_s)
    engine = ContinuumBeamEngine(scene)
    parts = [engine.initial_rows()]
    for begin in range(0, steps, 100):
        n = min(100, steps - begin)
        report = engine.advance(reference(scene, n, begin), n, np.arange(every, steps + 1, every))
        assert report.ok, report.message
        parts.append(report.rows)
    return engine, Rows.concatenate([part for part in parts if len(part)])


def hat(w: FloatArray) -> FloatArray:
    """Matrix of the cross product with w."""
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def ad(twist: FloatArray) -> FloatArray:
    """ad_eta, P5 (67)."""
    v = hat(twist[:3])
    w = hat(twist[3:])
    return np.block([[w, v], [np.zeros((3, 3)), w]])


class Paper:
    """P5 (6) to (8) and (13), (14) as printed, integrated along the body by an adaptive integrator.

    Parameters
    ----------
    scene : Scene
        Only its strain law is used, nothing of its engine.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.law = StrainLaw(scene.strain, scene.beam)
        beam = scene.beam
        rho_a = beam.mass_per_length
        self.inertia = np.diag([rho_a, rho_a, rho_a, *beam.inertia_per_length])
        self.gravity = np.array(scene.ground.gravity)

    def strains(self, x: float, t: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        field = self.law.at(np.array([t]), np.array([x]))
        return field.strain[0, 0], field.rate[0, 0], field.acceleration[0, 0]

    def slope(self, x: float, y: FloatArray, t: float) -> FloatArray:
        """(24): X_2 = (g, eta, eta_t, Lambda)."""
        xi, rate, acceleration = self.strains(x, t)
        turn = y[:9].reshape(3, 3)
        eta = y[12:18]
        eta_t = y[18:24]
        internal = y[24:]
        g = turn @ hat(xi[3:])
        load = self.inertia @ eta_t - ad(eta).T @ (self.inertia @ eta)
        load[:3] -= self.inertia[0, 0] * (turn.T @ self.gravity)
        return np.concatenate(
            [
                g.ravel(),
                turn @ xi[:3],
                -ad(xi) @ eta + rate,
                -ad(xi) @ eta_t - ad(rate) @ eta + acceleration,
                ad(xi).T @ internal + load,
            ]
        )

    def integrate(self, t: float, begin: float, end: float, y: FloatArray) -> FloatArray:
        solution = solve_ivp(
            self.slope, (begin, end), y, "DOP853", rtol=1e-11, atol=1e-12, args=(t,)
        )
        return np.asarray(solution.y[:, -1])

    def first(
        self, turn: FloatArray, position: FloatArray, eta: FloatArray, eta_t: FloatArray
    ) -> FloatArray:
        return np.concatenate([turn.ravel(), position, eta, eta_t, np.zeros(6)])
