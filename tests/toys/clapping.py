"""A gait from a separate file outside the package: every joint claps, the third power of a sine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem
from snakestudio.kinds.gait import GaitKind
from snakestudio.model.fields import value
from snakestudio.model.motion import GaitFields
from snakestudio.model.robot.joint_axes import entries
from snakestudio.model.scene import Scene


class ClappingFields(GaitFields):
    """Amplitude and pace."""

    kind: Literal["clapping"] = value("clapping", label="Gait", help="Every joint claps")
    clap_deg: float = value(
        20.0,
        label="Clap",
        unit="°",
        help="Angle of every joint",
        ge=0,
        le=90,
        slider=(0, 45),
        live=True,
    )
    clap_deg_s: float = value(
        120.0,
        label="Pace",
        unit="°/s",
        help="Pace of the claps",
        ge=0,
        le=720,
        slider=(0, 360),
        live=True,
    )
    pitch_deg: float = value(
        0.0, label="Pitch", unit="°", help="Constant pitch", ge=0, le=9, slider=(0, 5), live=True
    )


@dataclass(frozen=True, slots=True)
class _State:
    law: ClappingFields
    since: float = 0.0
    turned: float = 0.0


class Clapping:
    """Angles as functions of time; a change of pace continues from the current phase."""

    def __init__(self, scene: Scene) -> None:
        assert isinstance(scene.gait, ClappingFields)
        self._axes, self._state = scene.body.axes, _State(scene.gait)

    def motion(
        self, time: FloatArray, through_ramps: bool = False
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        law = self._state.law
        state = self._state
        pace = math.radians(law.clap_deg_s)
        phase = state.turned + pace * (time - state.since)
        s, c = np.sin(phase), np.cos(phase)
        shares = (s**3, 3 * pace * s**2 * c, 3 * pace**2 * (2 * s * c**2 - s**3))
        angle, rate, acceleration = np.zeros((3, len(time), len(self._axes)))
        for part, weight in zip((angle, rate, acceleration), shares, strict=True):
            part[:, entries(self._axes, "yaw")] = math.radians(law.clap_deg) * weight[:, None]
        angle[:, entries(self._axes, "pitch")] = math.radians(law.pitch_deg)
        return angle, rate, acceleration

    def apply(self, gait: Any, time: float) -> None:
        if gait != self._state.law:
            turned = self._state.turned + math.radians(self._state.law.clap_deg_s) * (
                time - self._state.since
            )
            self._state = _State(gait, time, turned)

    def checkpoint(self) -> Any:
        return self._state

    def restore(self, checkpoint: Any) -> None:
        self._state = checkpoint


def _check(scene: Scene) -> list[Problem]:
    assert isinstance(scene.gait, ClappingFields)
    if scene.gait.clap_deg:
        return []
    return [Problem("warning", "gait.clap_deg", "nobody hears a clap of 0°", "give more")]


KIND = GaitKind(
    fields=ClappingFields,
    make=Clapping,
    title="Clapping",
    help="Every joint claps.",
    check=_check,
    effects=((("gait.clap_deg_s",), lambda scene: scene.gait.clap_deg > 0.0, "only with a clap"),),  # type: ignore[attr-defined]
    states={"toy.clapping": _State},
)
