"""A recording of a continuous body made of formulas, for views without an engine."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from snakestudio.errors import Problem, SceneError
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.recording import Rows, Schema
from snakestudio.model.robot.beam import Beam
from snakestudio.model.robot.strain import COMPONENTS, Strain
from snakestudio.model.scene import Run, Scene
from snakestudio.runfile.recording import RunRecording
from tests.blank_rows import blank_rows

EXTRA = (
    "axial_speed_mps",
    "slip_mps",
    "resultant_fx_n",
    "resultant_fy_n",
    "resultant_fz_n",
    "resultant_mx_nm",
    "resultant_my_nm",
    "resultant_mz_nm",
)
HOLDS = 3


def body_scene(sections: int = 21, length: float = 1.0) -> Scene:
    """A snake of the continuum model."""
    return Scene(
        title="Continuous snake",
        model=FORMULATIONS["continuum_beam"].fields(),
        beam=Beam(sections=sections, length_m=length),
        run=Run(duration_s=10.0),
    )


def curvature(time: np.ndarray, abscissa: np.ndarray) -> np.ndarray:
    """K_Z at times (k, 1) and material abscissas (n,), 1/m."""
    wave: np.ndarray = 10.0 * np.cos(2 * np.pi * (abscissa - 0.5 * time) / 0.8)
    return wave


def torque(time: np.ndarray, abscissa: np.ndarray) -> np.ndarray:
    """C_Z at times (k, 1) and material abscissas (n,), N m: it grows for ten seconds."""
    wave: np.ndarray = (
        0.1
        * time
        * abscissa
        * (abscissa[-1] - abscissa)
        * np.sin(2 * np.pi * (abscissa - 0.5 * time) / 0.8)
    )
    return wave


def _schema(scene: Scene) -> Schema:
    energies = ("kinetic", "work_actuator")
    return Schema(
        scene.beam.sections, (), energies, EXTRA, sections=scene.beam.abscissas, n_holds=HOLDS
    )


def body_rows(scene: Scene, first: int, stop: int) -> Rows:
    """Rows first to stop of a run in which the curvature travels to the tail and the third contact is never active."""
    abscissa = np.array(scene.beam.abscissas)
    k = stop - first
    n = len(abscissa)
    time = np.arange(first, stop) / scene.run.log_rate_hz
    t = time[:, None]
    bent = curvature(t, abscissa)
    heading = np.cumsum(bent, axis=1) * scene.beam.length_m / (n - 1)
    pose = np.zeros((k, n, 7))
    twist = np.zeros((k, n, 6))
    step = scene.beam.length_m / (n - 1)
    pose[:, :, 0] = -0.5 * t + np.cumsum(step * np.cos(heading), axis=1)
    pose[:, :, 1] = np.cumsum(step * np.sin(heading), axis=1)
    pose[:, :, 2] = scene.beam.radius_m
    pose[:, :, 3] = np.cos(heading / 2)
    pose[:, :, 6] = np.sin(heading / 2)
    twist[:, :, 0] = -0.5
    strain = np.zeros((k, n, 6))
    wrench = np.zeros((k, n, 6))
    strain[:, :, 0] = 1.0 + 0.1 * np.sin(2 * np.pi * (abscissa - 0.3 * t))
    strain[:, :, 5] = bent
    wrench[:, :, 0] = 2.0 * np.cos(t) * (abscissa / scene.beam.length_m)
    wrench[:, :, 1] = -1.0
    wrench[:, :, 5] = torque(t, abscissa)
    hold = np.zeros((k, HOLDS, 14))
    hold[:, :, 0] = (1.0, 1.0, 0.0)
    hold[:, :, 1] = scene.beam.length_m * np.array([0.2, 0.5, 0.8])
    hold[:, 0, 9] = 3.0 * np.sin(time)
    hold[:, 1, 8] = 4.0
    hold[:, 0, 13] = 0.2 * np.sin(3 * time)
    return blank_rows(
        _schema(scene),
        time,
        link_pose=pose,
        link_twist=twist,
        contacts_closed=np.full(k, 2, np.int32),
        energy=np.stack([0.1 + 0.05 * np.sin(time), 2.1 * time], axis=1),
        solver_residual=np.full(k, 1e-12),
        steps=10 * np.arange(first, stop),
        extra=np.outer(np.sin(time), np.arange(1.0, len(EXTRA) + 1)),
        strain=strain,
        wrench=wrench,
        hold=hold,
    )


def body_recording(scene: Scene, n_rows: int) -> RunRecording:
    """A recording of `n_rows` such rows."""
    recording = RunRecording(scene, _schema(scene))
    for first in range(0, n_rows, 4096):
        recording.append(body_rows(scene, first, min(n_rows, first + 4096)))
    return recording


def _bump(v: np.ndarray) -> np.ndarray:
    inside = np.abs(v) < 1
    hill: np.ndarray = np.where(inside, np.exp(-(v**2) / np.where(inside, 1 - v**2, 1.0)), 0.0)
    return hill


class FakeLaw:
    """Evaluates formulas with Python, with the axial speed taken as constant."""

    created = 0

    def __init__(self, strain: Strain, beam: Beam) -> None:
        type(self).created += 1
        self._text = strain.text()
        self._beam = beam
        self._names = {"pi": math.pi, "l": beam.length_m, "r": beam.radius_m, "bump": _bump}
        self._names |= {name: getattr(np, name) for name in ("sin", "cos", "exp", "sqrt")}
        self._names |= {name: value for name, (value, _) in self._text.constants.items()}
        self.at(np.array([0.1]), np.array([0.1]))

    def at(self, t: np.ndarray, X: np.ndarray) -> SimpleNamespace:
        shape = len(t), len(X)
        time = np.broadcast_to(t[:, None], shape)
        abscissa = np.broadcast_to(X, shape)
        speed = self._value("speed_m_s", self._text.speed or "0", {"t": 0.0})
        names = {"t": time, "X": abscissa, "s": abscissa + speed * time}
        columns = [
            np.broadcast_to(
                self._value(
                    name, self._text.strains.get(name, "1" if name == "gamma_x" else "0"), names
                ),
                shape,
            )
            for name in COMPONENTS
        ]
        return SimpleNamespace(strain=np.stack(columns, axis=2))

    def _value(self, name: str, formula: str, names: dict[str, object]) -> np.ndarray:
        try:
            value: np.ndarray = eval(
                formula.replace("^", "**"), {"__builtins__": {}}, {**self._names, **names}
            )
        except (SyntaxError, NameError, TypeError) as error:
            problem = Problem(
                "error", f"strain.{name}", f"{formula} cannot be read", "see the names it may use"
            )
            raise SceneError(problem.sentence(), [problem]) from error
        return value
