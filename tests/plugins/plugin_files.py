"""Plug-ins for tests."""

from __future__ import annotations

from pathlib import Path

from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene

QUICK = {"model.kind": "planar_lagrangian", "robot.n_links": 4, "run.duration_s": 0.5}

WAG = '''
from typing import Literal

import numpy as np

from snakestudio.plugin import AngleController, ControllerFields, ControllerKind, value


class WagFields(ControllerFields):
    """The tail wags."""

    kind: Literal["wag"] = "wag"
    amplitude_deg: float = value(20.0, help="Angle of the last joint", ge=0, le=90, live=True)
    pace_hz: float = value(1.0, help="Wags a second", ge=0, le=10, live=True)


class Wag(AngleController):
    channels = ("phase_rad",)

    def begin(self):
        self.phase_rad = 0.0

    def angles(self, time, snapshot):
        phase = self.phase_rad + 2 * np.pi * self.fields.pace_hz * (time - time[0])
        self.phase_rad = float(phase[-1])
        # HERE
        return np.radians(self.fields.amplitude_deg) * np.sin(phase)[:, None] * np.linspace(0.5, 1.0, self.n_axes)


KIND = ControllerKind(fields=WagFields, make=Wag)
'''
"""A simple controller in less than 30 lines."""


def written(folder: Path, name: str = "wag", text: str = WAG, here: str = "") -> Path:
    """Write a plug-in with the lines `here` in its `angles`; return its path."""
    lines = "\n        ".join(here.splitlines())
    path = folder / f"{name}.py"
    path.write_text(text.replace("# HERE", lines), encoding="utf-8")
    return path


def scene_file(folder: Path, plugin: str = '"wag.py"', more: str = "") -> Path:
    """Write a scene that names a plug-in and uses its controller; return its path."""
    path = folder / "scene.toml"
    path.write_text(
        f'format = 1\nplugin = {plugin}  # mine\n[model]\nkind = "planar_lagrangian"\n[robot]\nn_links = 4\n[run]\n'
        f'duration_s = 0.5\n[controller]\nkind = "wag"\namplitude_deg = 30.0  # wide\n{more}',
        encoding="utf-8",
    )
    return path


def wagging(**values: object) -> Scene:
    """Return a scene with the controller, which must be loaded."""
    return with_values(Scene(), {**QUICK, "controller.kind": "wag", **values})
