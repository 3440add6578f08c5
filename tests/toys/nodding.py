"""A controller from a separate file outside the package: the head nods towards the origin, and all joints with it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.errors import Problem
from snakestudio.kinds.controller import ControllerKind, Curve, JointMarks, Plot, Said
from snakestudio.model.controllers import ControllerFields
from snakestudio.model.events import RunEvent
from snakestudio.model.fields import value
from snakestudio.model.recording import Schema
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields, Snapshot


class NoddingFields(ControllerFields):
    """Amplitude and gain."""

    uses = ()

    kind: Literal["nodding"] = value("nodding", label="Controller", help="The head nods")
    nod_deg: float = value(
        20.0,
        label="Nod",
        unit="°",
        help="Angle of every joint",
        ge=0,
        le=90,
        slider=(0, 45),
        live=True,
    )
    gain_per_m: float = value(
        2.0, label="Gain", unit="1/m", help="Haste", ge=0, le=10, slider=(0, 5), live=True
    )
    restless: bool = value(True, label="Restless", help="Whether it goes on", live=True)


@dataclass(frozen=True, slots=True)
class _State:
    phase: float = 0.0
    nods: int = 0


class Nodding:
    """Feedback: the phase advances faster the further the head is from the origin."""

    needs = Fields.POSE
    channels = ("nod_rad", "nod_count")

    def __init__(self, scene: Scene, start: FloatArray) -> None:
        self._state = _State()
        self._joints = len(start)
        self._turned = np.zeros(len(start))
        self.apply(scene, 0.0)

    def apply(self, scene: Scene, time: float) -> None:
        assert isinstance(scene.controller, NoddingFields)
        self._law = scene.controller

    def values(self) -> FloatArray:
        return np.array([self._angle, float(self._state.nods)])

    @property
    def _angle(self) -> float:
        return math.radians(self._law.nod_deg) * math.sin(self._state.phase)

    def reference(self, time: FloatArray, snapshot: Snapshot | None) -> JointReference:
        assert snapshot is not None
        haste = 3.0 + self._law.gain_per_m * float(np.linalg.norm(snapshot.link_pose[0, :2]))
        phase = self._state.phase + haste * float(time[-1] - time[0])
        self._state = _State(phase, int(phase / math.pi))
        angle = np.zeros((len(time), self._joints))
        angle[:] = self._angle
        return JointReference(time, angle, np.zeros_like(angle), np.zeros_like(angle))

    def checkpoint(self) -> Any:
        return self._state, self._law

    def restore(self, checkpoint: Any) -> None:
        self._state, self._law = checkpoint


def _check(scene: Scene) -> list[Problem]:
    assert isinstance(scene.controller, NoddingFields)
    if scene.controller.nod_deg:
        return []
    return [Problem("warning", "controller.nod_deg", "nobody sees a nod of 0°", "give more")]


def _events(schema: Schema, fields: NoddingFields) -> Any:
    column = schema.extra.index("nod_count")
    seen = [0.0]

    def find(times: FloatArray, extra: FloatArray) -> list[RunEvent]:
        events = []
        for time, count in zip(times.tolist(), extra[:, column].tolist(), strict=True):
            if count > seen[0]:
                events.append(RunEvent(time, "jam", f"Nod {count:g}", count))
            seen[0] = count
        return events

    return find


def _says(control: Mapping[str, float]) -> list[Said]:
    return [Said("good", f"{control['nod_count']:.0f} nods")]


KIND = ControllerKind(
    fields=NoddingFields,
    make=Nodding,
    title="Nodding",
    help="The head nods.",
    check=_check,
    effects=(
        (
            ("controller.gain_per_m",),
            lambda scene: scene.controller.restless,
            "only where restless",
        ),
    ),  # type: ignore[attr-defined]
    note=lambda law: "It nods deeply." if law.nod_deg > 30 else "",
    channels=Nodding.channels,
    plots=(
        Plot(
            "nod",
            "Nod",
            (Curve("nod_rad", "nod"), Curve("nod_count", "nods", right=True)),
            least=1.0,
        ),
    ),
    shown=("nod", "joint", "speed", "position"),
    says=_says,
    marks=lambda control: JointMarks([0], worked_on=control["nod_rad"] > 0.0),
    events=_events,
    remedies={Fields.POSE: "sit still."},
    states={"toy.nodding": _State},
)
